import { signal, effect } from "@preact/signals";
import { render } from "preact";
import "./style.css";
import { GamePage } from "./pages/game";
import { GamesPage } from "./pages/games";
import { PlayPage } from "./pages/play";
import { ReportsPage } from "./pages/reports";
import { UnderstandPage } from "./pages/understand";
import { WatchPage } from "./pages/watch";

const route = signal(location.hash.slice(1) || "/");
addEventListener("hashchange", () => {
  route.value = location.hash.slice(1) || "/";
  document.querySelector<HTMLElement>("main")?.focus();
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
  ["/games", "My games"],
  ["/reports", "Measured"],
];

function Page() {
  const [, name = "", id = ""] = route.value.split("/");
  switch (name) {
    case "":
      return <PlayPage />;
    case "game":
      return <GamePage key={id} id={id} />;
    case "watch":
      return <WatchPage />;
    case "understand":
      return <UnderstandPage />;
    case "games":
      return <GamesPage />;
    case "reports":
      return <ReportsPage />;
    default:
      return (
        <p>
          There is no such page. <a href="#/">Play a game</a>
        </p>
      );
  }
}

function App() {
  const here = `/${route.value.split("/")[1] ?? ""}`;
  const next: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => (event.preventDefault(), document.querySelector("main")?.focus())}>
        Skip to the content
      </a>
      <header>
        <a class="brand" href="#/">
          <img src="./icon.svg" alt="" width="26" height="26" /> Sparring
        </a>
        <nav aria-label="Pages">
          {PAGES.map(([path, title]) => (
            <a key={path} href={`#${path}`} aria-current={path === here ? "page" : undefined}>
              {title}
            </a>
          ))}
        </nav>
        <button class="quiet" onClick={() => (theme.value = next[theme.value])} title="Colours of the page">
          {{ system: "Auto", light: "Light", dark: "Dark" }[theme.value]}
          <span class="hidden-text"> colours. Change them.</span>
        </button>
      </header>
      <main id="main" tabIndex={-1}>
        <Page />
      </main>
    </>
  );
}

render(<App />, document.getElementById("app")!);
