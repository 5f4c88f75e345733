import { signal } from "@preact/signals";
import { render } from "preact";
import { useEffect } from "preact/hooks";
import { focusBoard } from "./boards/square-keys";
import { can } from "./capabilities";
import { HelpButton } from "./help";
import { loadOffers } from "./offers";
import { GamePage } from "./pages/game";
import { GamesPage } from "./pages/games";
import { PersonPage } from "./pages/person";
import { PlayPage } from "./pages/play";
import { ProgressPage } from "./pages/progress";
import { ReportsPage } from "./pages/reports";
import { TournamentPage } from "./pages/tournament";
import { DrillPage, TrainPage } from "./pages/train";
import { TuringPage } from "./pages/turing";
import { UnderstandPage } from "./pages/understand";
import { SettingsButton } from "./settings-panel";
import { NotInTab } from "./tab/notes";
import { WatchPage } from "./pages/watch";
import "./styles/index.css"; // after the boards' own styles
import { t, word } from "./text";

const route = signal(location.hash.slice(1) || "/");
addEventListener("hashchange", () => {
  route.value = location.hash.slice(1) || "/";
  scrollTo(0, 0);
  document.querySelector<HTMLElement>("main")?.focus();
  document.querySelector("nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
});

const PAGES: [string, string][] = [
  ["/", word("Play")],
  ["/watch", word("Watch")],
  ["/understand", word("Understand")],
  ["/train", word("Train")],
  ["/turing", word("Human or not?")],
  ["/games", word("My games")],
  ["/reports", word("Measured")],
];
const PARENTS: Record<string, string> = { "/tournament": "/watch", "/game": "/", "/person": "/", "/progress": "/train" };

function Page() {
  const [, name = "", id = ""] = route.value.split("/");
  if (!can(`/${name}`)) return <NotInTab path={`/${name}`} />;
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
    case "train":
      return id ? <DrillPage key={id} ids={id.split(",")} /> : <TrainPage />;
    case "progress":
      return <ProgressPage />;
    case "turing":
      return <TuringPage />;
    case "games":
      return <GamesPage />;
    case "person":
      return <PersonPage />;
    case "reports":
      return <ReportsPage />;
    default:
      return (
        <div class="empty">
          <p>{t("There is no such page.")}</p>
          <a class="button main" href="#/">
            {t("Play a game")}
          </a>
        </div>
      );
  }
}

function App() {
  useEffect(loadOffers, []); // boards and names of moves depend on what the games are like
  const name = `/${route.value.split("/")[1] ?? ""}`;
  const here = PARENTS[name] ?? name;
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => (event.preventDefault(), document.querySelector("main")?.focus())}>
        {t("Skip to the content")}
      </a>
      {name === "/game" && (
        <a class="skip" href="#board" onClick={(event) => (event.preventDefault(), focusBoard())}>
          {t("Skip to the board")}
        </a>
      )}
      <header>
        <a class="brand" href="#/" aria-label="Sparring">
          <img src="./icon.svg" alt="" width="26" height="26" /> <span>Sparring</span>
        </a>
        <nav aria-label={t("Pages")}>
          {PAGES.filter(([path]) => can(path)).map(([path, title]) => (
            <a key={path} href={`#${path}`} aria-current={path === here ? "page" : undefined}>
              {t(title)}
            </a>
          ))}
        </nav>
        <HelpButton />
        <SettingsButton />
      </header>
      <main id="main" tabIndex={-1}>
        <Page />
      </main>
    </>
  );
}

render(<App />, document.getElementById("app")!);
