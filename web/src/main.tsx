import { effect, signal } from "@preact/signals";
import { render } from "preact";
import { Icon } from "./icons";
import { GamePage } from "./pages/game";
import { GamesPage } from "./pages/games";
import { PlayPage } from "./pages/play";
import { ReportsPage } from "./pages/reports";
import { TournamentPage } from "./pages/tournament";
import { TuringPage } from "./pages/turing";
import { UnderstandPage } from "./pages/understand";
import { WatchPage } from "./pages/watch";
import "./styles/index.css"; // after the boards' own styles

const route = signal(location.hash.slice(1) || "/");
addEventListener("hashchange", () => {
  route.value = location.hash.slice(1) || "/";
  scrollTo(0, 0);
  document.querySelector<HTMLElement>("main")?.focus();
  document.querySelector("nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
});

type Theme = "light" | "dark" | "system";
const theme = signal<Theme>((localStorage.getItem("theme") as Theme | null) ?? "system");
effect(() => {
  localStorage.setItem("theme", theme.value);
  if (theme.value === "system") document.documentElement.removeAttribute("data-theme");
  else document.documentElement.dataset.theme = theme.value;
});

const PAGES: [string, string][] = [
  ["/", "Play"],
  ["/watch", "Watch"],
  ["/understand", "Understand"],
  ["/turing", "Human or not?"],
  ["/games", "My games"],
  ["/reports", "Measured"],
];
const PARENTS: Record<string, string> = { "/tournament": "/watch", "/game": "/" };

function Page() {
  const [, name = "", id = ""] = route.value.split("/");
  switch (name) {
    case "":
      return <PlayPage />;
    case "game":
      return <GamePage key={id} id={id} />;
    case "watch":
      return <WatchPage tournament={id === "tournament"} />;
    case "tournament":
      return <TournamentPage key={id} id={id} />;
    case "understand":
      return <UnderstandPage key={id} game={id} />;
    case "turing":
      return <TuringPage />;
    case "games":
      return <GamesPage />;
    case "reports":
      return <ReportsPage />;
    default:
      return (
        <div class="empty">
          <p>There is no such page.</p>
          <a class="button main" href="#/">
            Play a game
          </a>
        </div>
      );
  }
}

function App() {
  const name = `/${route.value.split("/")[1] ?? ""}`;
  const here = PARENTS[name] ?? name;
  const next: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };
  const shown = { system: "Auto", light: "Light", dark: "Dark" }[theme.value];
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => (event.preventDefault(), document.querySelector("main")?.focus())}>
        Skip to the content
      </a>
      <header>
        <a class="brand" href="#/" aria-label="Sparring">
          <img src="./icon.svg" alt="" width="26" height="26" /> <span>Sparring</span>
        </a>
        <nav aria-label="Pages">
          {PAGES.map(([path, title]) => (
            <a key={path} href={`#${path}`} aria-current={path === here ? "page" : undefined}>
              {title}
            </a>
          ))}
        </nav>
        <button class="quiet" onClick={() => (theme.value = next[theme.value])} title={`${shown} colours`} aria-label={`${shown} colours. Change them.`}>
          <Icon name={{ system: "auto", light: "sun", dark: "moon" }[theme.value]} />
        </button>
      </header>
      <main id="main" tabIndex={-1}>
        <Page />
      </main>
    </>
  );
}

render(<App />, document.getElementById("app")!);
