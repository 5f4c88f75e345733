import { useEffect, useRef, useState } from "preact/hooks";
import { api, type CardView, type DeckView, type LineStep, type StrengthView, type TryView } from "../api";
import { moveName, typedMove } from "../boards/move-names";
import { Picture } from "../boards/picture";
import { Steps } from "../game/move-list";
import { NumberHelp } from "../help";
import { Icon } from "../icons";
import { useKeys } from "../keys";
import { moveNumber } from "../moves";
import { loadOffers, offerOf, offers, Ready } from "../offers";
import { playOn } from "../requests";
import { autoDeck } from "../settings";
import { Switch } from "../settings-panel";
import { InsightBoard } from "../understand/insight";
import { counted, known, percent, phrase, say, t, word } from "../text";

/** Cards that are shown at once. */
const COUNT = 60;
/** Cards of one practice. */
const PRACTICE = 20;
const ORDERS = { latest: word("the latest first"), due: word("due first"), level: word("of my level first") };
type Order = keyof typeof ORDERS;

const titleOf = (game: string) => known(offerOf(game)?.title ?? game);
const drill = (cards: CardView[]) => `#/train/${cards.slice(0, PRACTICE).map((card) => card.id).join(",")}`;

/** The two pages of the person's own learning. */
export function TrainTabs({ here }: { here: "deck" | "progress" }) {
  return (
    <div class="tabs" role="navigation" aria-label={t("Train")}>
      <a href="#/train" aria-current={here === "deck" ? "page" : undefined}>
        {t("My mistakes")}
      </a>
      <a href="#/progress" aria-current={here === "progress" ? "page" : undefined}>
        {t("Progress")}
      </a>
    </div>
  );
}

/** The deck: what is due, the cards, the puzzle rating, and files. */
export function TrainPage() {
  useEffect(loadOffers, []);
  const [game, setGame] = useState("");
  const [order, setOrder] = useState<Order>("latest");
  const [deck, setDeck] = useState<DeckView | null>(null);
  const [due, setDue] = useState<CardView[]>([]);
  const [error, setError] = useState("");
  const asked = useRef(0);
  const load = async () => {
    const number = ++asked.current;
    const only: Record<string, string> = game ? { game } : {};
    try {
      const [shown, first] = await Promise.all([api.deck({ ...only, order, count: String(COUNT) }), api.deck({ ...only, order: "due", count: String(PRACTICE) })]);
      if (number !== asked.current) return;
      setDeck(shown);
      setDue(first.cards.filter((card) => isDue(card)));
    } catch (refusal) {
      setError((refusal as Error).message);
    }
  };
  useEffect(() => void load(), [game, order]);
  if (offers.value.length === 0) return <Ready />;
  const remove = (card: CardView) =>
    confirm(t("Take this move out of the deck?")) && void api.removeCard(card.id).then(load, (refusal: Error) => setError(refusal.message));
  const counts = deck?.counts.filter((each) => !game || each.game === game) ?? [];
  const dueCount = counts.reduce((sum, each) => sum + each.due, 0);
  const cardCount = counts.reduce((sum, each) => sum + each.cards, 0);
  return (
    <div class="page train">
      <div class="title-line">
        <h1>{t("Learn from your mistakes")}</h1>
        <TrainTabs here="deck" />
      </div>
      {error && (
        <p class="alert" role="alert">
          {error}
        </p>
      )}
      {!deck && !error && (
        <p class="loading" role="status">
          {t("Loading…")}
        </p>
      )}
      {deck && deck.counts.length === 0 && (
        <div class="empty">
          <p>{t("Your deck is empty. Review a game of yours: the moves that gave much away become problems here. You look for a better move, and each comes again just before you would forget it.")}</p>
          <a class="button main" href="#/games">
            {t("My games")}
          </a>{" "}
          <a class="button" href="#/understand">
            {t("Review a game")}
          </a>
          <Switch title={t("Put mistakes of my games into the deck by themselves")} chosen={autoDeck} />
        </div>
      )}
      {deck && deck.counts.length > 0 && (
        <>
          <div class="train-head">
            <section class="card due" aria-label={t("Due now")}>
              <p class="big">
                <strong class="number">{dueCount}</strong> {t("due now, of {count} in the deck", { count: cardCount })}
              </p>
              <div class="buttons">
                {due.length > 0 ? (
                  <a class="button main" href={drill(due)}>
                    <Icon name="target" /> {t("Find better")}
                  </a>
                ) : (
                  deck.cards.length > 0 && (
                    <a class="button" href={drill(deck.cards)}>
                      <Icon name="target" /> {t("Practise ahead")}
                    </a>
                  )
                )}
              </div>
              <p class="note">
                {due.length > 0
                  ? t("The first try decides when a move comes again: after a right one in 1 day, then 6 days, then longer each time; after a wrong one tomorrow.")
                  : t("Nothing is due. Practising ahead does not change when a move comes again.")}
              </p>
            </section>
            {(deck.rating || deck.cards.some((card) => card.puzzle)) && <PuzzleRating rating={deck.rating ?? null} />}
          </div>
          <div class="title-line">
            <h2>{t("The deck")}</h2>
            <div class="filters">
              {deck.counts.length > 1 && (
                <label class="filter">
                  <span class="hidden-text">{t("Game")}</span>
                  <select value={game} onChange={({ currentTarget: { value } }) => setGame(value)}>
                    <option value="">{t("all games")}</option>
                    {deck.counts.map((each) => (
                      <option key={each.game} value={each.game}>
                        {titleOf(each.game)}
                      </option>
                    ))}
                  </select>
                </label>
              )}
              <label class="filter">
                <span class="hidden-text">{t("Order")}</span>
                <select value={order} onChange={({ currentTarget: { value } }) => setOrder(value as Order)}>
                  {(Object.keys(ORDERS) as Order[]).map((each) => (
                    <option key={each} value={each}>
                      {t(ORDERS[each])}
                    </option>
                  ))}
                </select>
              </label>
              {order === "level" && deck.cards.length > 0 && (
                <a class="button" href={drill(deck.cards)}>
                  <Icon name="target" /> {t("Practise problems of my level")}
                </a>
              )}
            </div>
          </div>
          {order === "level" && <p class="note">{t("Problems that you find with a chance near 50 % come first. Only problems of chess are rated.")}</p>}
          <ul class="game-cards">
            {deck.cards.map((card) => (
              <DeckCard key={card.id} card={card} onRemove={() => remove(card)} />
            ))}
          </ul>
          <Files deck={deck} game={game} />
          <Switch title={t("Put mistakes of my games into the deck by themselves")} chosen={autoDeck} />
        </>
      )}
    </div>
  );
}

const isDue = (card: CardView) => 1000 * card.due <= Date.now();

/** The measured puzzle rating, with its interval. */
function PuzzleRating({ rating }: { rating: StrengthView | null }) {
  return (
    <section class="card" aria-label={t("Your puzzle rating")}>
      {rating ? (
        <>
          <p class="big">
            <strong class="number">{Math.round(rating.rating)}</strong> {t("puzzle rating")}
          </p>
          <p class="note number">{counted(rating.games, "{low} to {high} (95 %), from {count} first try", "{low} to {high} (95 %), from {count} first tries", { low: String(Math.round(rating.interval[0])), high: String(Math.round(rating.interval[1])) })}</p>
        </>
      ) : (
        <p>{t("Your puzzle rating is not measured yet: it begins with your first try of a chess problem. Until then chances are those of 1500.")}</p>
      )}
      <p class="note">
        {t("It is on the scale of Lichess's puzzles, and no rating of games.")} <NumberHelp />
      </p>
    </section>
  );
}

function DeckCard({ card, onRemove }: { card: CardView; onRemove: () => void }) {
  const played = moveName(card.game, card.played, card.last);
  const days = Math.max(1, Math.round((1000 * card.due - Date.now()) / 86_400_000));
  return (
    <li class="card">
      <a href={`#/train/${card.id}`} aria-label={t("Find better than {move}", { move: played })}>
        <Picture game={card.game} position={card.position} board={card.board} bottom={card.turn} />
      </a>
      <div class="game-facts">
        <p class="outcome-line">
          <a href={`#/train/${card.id}`}>
            <strong>
              {moveNumber(card.game, card.ply)} {played}
            </strong>
          </a>
        </p>
        <p class="note">
          {t("gave away {loss} of a win", { loss: percent(card.loss) })}
          {card.kind && ` · ${say(card.kind, card.game)}`}
        </p>
        <p class={isDue(card) ? "open" : "note"}>{isDue(card) ? t("due now") : counted(days, "due in {count} day", "due in {count} days")}</p>
        {card.answered > 0 && <p class="note number">{t("found {solved} of {answered} times", { solved: card.solved, answered: card.answered })}</p>}
        {card.puzzle && <p class="note number">{t("puzzle rating about {rating}: you would find it {chance} of the time", { rating: String(card.puzzle.rating), chance: percent(card.puzzle.chance) })}</p>}
        {card.played_on > 0 && <p class="note number">{t("played on {count} times, held {held}", { count: card.played_on, held: card.held })}</p>}
      </div>
      <button class="quiet close" aria-label={t("Take {move} out of the deck", { move: played })} onClick={onRemove}>
        <Icon name="remove" />
      </button>
    </li>
  );
}

/** The deck as files: of each game that it has, or of the chosen one. */
function Files({ deck, game }: { deck: DeckView; game: string }) {
  const games = deck.counts.map((each) => each.game).filter((each) => !game || each === game);
  return (
    <section class="keep card" aria-label={t("Save the deck")}>
      <h2>{t("Save the deck")}</h2>
      <div class="buttons">
        {games.flatMap((each) => {
          const format = offerOf(each)?.writes[0] ?? "pgn";
          return [
            <a key={each} class="button" href={`/api/deck/export?game=${each}&format=${format}`} download>
              <Icon name="save" /> {t("{game} as {format}", { game: titleOf(each), format: format.toUpperCase() })}
            </a>,
            <a key={`${each}-anki`} class="button" href={`/api/deck/export?game=${each}&format=tsv`} download>
              <Icon name="save" /> {t("{game} for Anki", { game: titleOf(each) })}
            </a>,
          ];
        })}
      </div>
      <p class="note">{t("Anki reads the table by File, Import: a picture of the position, the question, the answer, and the position as text. The deck lies with your games: a backup has it too.")}</p>
    </section>
  );
}

// A practice: one card after the other.

/** "Find better": the positions of some cards, one after the other. */
export function DrillPage({ ids }: { ids: string[] }) {
  useEffect(loadOffers, []);
  const [queue, setQueue] = useState(ids);
  const [at, setAt] = useState(0);
  const [missed, setMissed] = useState<string[]>([]);
  if (offers.value.length === 0) return <Ready />;
  if (at >= queue.length)
    return (
      <div class="page narrow train">
        <h1>{t("Done")}</h1>
        <p class="big" role="status">
          {t("{right} of {count} found at the first try.", { right: queue.length - missed.length, count: queue.length })}
        </p>
        <div class="buttons">
          {missed.length > 0 && (
            <button class="main" autofocus onClick={() => (setQueue(missed), setMissed([]), setAt(0))}>
              <Icon name="again" /> {counted(missed.length, "The missed one again", "The {count} missed ones again")}
            </button>
          )}
          <a class={missed.length ? "button" : "button main"} href="#/train">
            <Icon name="deck" /> {t("To the deck")}
          </a>
          <a class="button" href="#/progress">
            <Icon name="chart" /> {t("Progress")}
          </a>
        </div>
      </div>
    );
  const id = queue[at]!;
  return (
    <Drill
      key={`${at} ${id}`}
      id={id}
      place={t("{number} of {count}", { number: at + 1, count: queue.length })}
      onMiss={() => setMissed((now) => (now.includes(id) ? now : [...now, id]))}
      onNext={() => (scrollTo(0, 0), setAt(at + 1))}
    />
  );
}

function Drill({ id, place, onMiss, onNext }: { id: string; place: string; onMiss: () => void; onNext: () => void }) {
  const [card, setCard] = useState<CardView | null>(null);
  const [found, setFound] = useState<TryView | null>(null);
  const [pending, setPending] = useState<string | null>(null);
  const [step, setStep] = useState(0);
  const [typed, setTyped] = useState("");
  const [error, setError] = useState("");
  useEffect(() => void api.card(id).then(setCard, (refusal: Error) => setError(refusal.message)), [id]);
  const attempt = (move: string | null) => {
    if (!card || pending || (found && move !== null)) return;
    setPending(move);
    setError("");
    api.tryCard(id, move).then(
      (told) => {
        setFound(told);
        setStep(move === null ? 0 : 1);
        setTyped("");
        if (!told.right) onMiss();
      },
      (refusal: Error) => (setError(refusal.message), setCard({ ...card })),
    ).finally(() => setPending(null));
  };
  const retry = () => (setFound(null), setStep(0));
  const line = found?.line ?? [];
  const go = (to: number) => found && setStep(Math.max(0, Math.min(line.length, to)));
  useKeys((event) => {
    const does: Record<string, () => unknown> = { ArrowLeft: () => go(step - 1), ArrowRight: () => go(step + 1), Home: () => go(0), End: () => go(line.length) };
    if (!does[event.key] || !found) return;
    event.preventDefault();
    does[event.key]!();
  });
  if (!card)
    return error ? (
      <div class="empty">
        <p role="alert">{error}</p>
        <div class="buttons centred">
          <button class="main" onClick={onNext}>
            {t("Next")}
          </button>
          <a class="button" href="#/train">
            {t("To the deck")}
          </a>
        </div>
      </div>
    ) : (
      <p class="loading" role="status">
        {t("Loading…")}
      </p>
    );
  const shown: LineStep | undefined = step > 0 ? line[step - 1] : undefined;
  const place_ = shown ?? card;
  const side = known(card.sides[card.turn]!, card.game);
  const played = moveName(card.game, card.played, card.last);
  const insight = {
    position: place_.position,
    board: place_.board,
    check: place_.check,
    turn: card.turn,
    last: shown ? shown.text : card.last ?? null,
    moves: found || pending ? [] : card.legal,
  };
  return (
    <div class="page train">
      <div class="title-line">
        <h1>{t("Find a better move")}</h1>
        <span class="note number">{place}</span>
        <a class="button" href="#/train">
          <Icon name="deck" /> {t("To the deck")}
        </a>
      </div>
      <div class="insight">
        <div class="insight-board">
          <InsightBoard game={card.game} insight={insight} bottom={card.turn} pending={pending} onMove={attempt} />
          {found && <Steps at={step} end={line.length} onStep={go} />}
        </div>
        <div class="insight-panel">
          <div class="card drill">
            <p>
              <strong>{t("{side} to move.", { side })}</strong> {phrase("You played {move}, which gave away {loss} of a win.", { move: <b>{`${moveNumber(card.game, card.ply)} ${played}`}</b>, loss: percent(card.loss) })}
              {card.kind && ` ${say(card.kind, card.game)}`}
            </p>
            <p class="note">
              {card.title && `${card.title}. `}
              {card.puzzle && t("Puzzle rating about {rating} ({low} to {high}): you would find it {chance} of the time.", { rating: String(card.puzzle.rating), low: String(card.puzzle.interval[0]), high: String(card.puzzle.interval[1]), chance: percent(card.puzzle.chance) })}
            </p>
            <div role="status" class="told">
              {pending && <p class="note">{t("Looking…")}</p>}
              {found && <Told card={card} found={found} />}
            </div>
            {found && <Line card={card} line={line} step={step} onStep={go} />}
            {error && (
              <p class="alert" role="alert">
                {error}
              </p>
            )}
            {!found && (
              <>
                <form class="move-field" onSubmit={(event) => (event.preventDefault(), typed.trim() && attempt(typedMove(card.game, typed.trim())))}>
                  <label>
                    <span class="hidden-text">{t("Your move")}</span>
                    <input type="text" value={typed} autocomplete="off" autocapitalize="off" spellcheck={false} placeholder={t("Or type a move")} onInput={({ currentTarget: { value } }) => setTyped(value)} />
                  </label>
                  <button disabled={pending !== null}>{t("Move")}</button>
                </form>
                <div class="buttons">
                  <button onClick={() => attempt(null)} disabled={pending !== null}>
                    {t("Show the answer")}
                  </button>
                </div>
              </>
            )}
            {found && (
              <div class="buttons">
                {!found.right && found.name && (
                  <>
                    <button class="main" ref={focus} onClick={retry}>
                      <Icon name="again" /> {t("Try again")}
                    </button>
                    <button onClick={() => attempt(null)}>{t("Show the answer")}</button>
                  </>
                )}
                <button class={found.right || !found.name ? "main" : ""} ref={found.right || !found.name ? focus : null} onClick={onNext}>
                  <Icon name="forward" /> {t("Next")}
                </button>
              </div>
            )}
          </div>
          {found && (found.right || !found.name) && (
            <div class="card">
              <h2>{t("Can you hold it?")}</h2>
              <p class="note">{t("Play on from here against an opponent of your level, until you hold it.")} {card.played_on > 0 && t("Held {held} of {count} times.", { held: card.held, count: card.played_on })}</p>
              <div class="buttons">
                <button onClick={() => void playOn(id).catch((refusal: Error) => setError(refusal.message))}>
                  <Icon name="play" /> {t("Play on from here")}
                </button>
                {card.source && (
                  <a class="button" href={`#/understand/${card.source}`}>
                    <Icon name="search" /> {t("The whole game")}
                  </a>
                )}
              </div>
            </div>
          )}
        </div>
      </div>
    </div>
  );
}

const focus = (element: HTMLElement | null) => element?.focus({ preventScroll: true });

/** Right or wrong, and when the move comes again. */
function Told({ card, found }: { card: CardView; found: TryView }) {
  const days = Math.max(1, Math.round(found.days));
  const again = found.counted && counted(days, "It comes again in {count} day.", "It comes again in {count} days.");
  const move = found.name && moveName(card.game, { text: found.line[0]?.text ?? "", name: found.name }, card.last);
  return (
    <>
      {found.right ? (
        <p class="verdict right">
          <b aria-hidden="true">✓</b> {found.best ? t("Right: {move} is the best move.", { move }) : t("Right: {move} is as good as the best.", { move })}
        </p>
      ) : found.name ? (
        <p class="verdict wrong">
          <b aria-hidden="true">✗</b> {found.loss == null ? t("{move} is not the move.", { move }) : t("{move} gives away {loss} of a win.", { move, loss: percent(found.loss) })}
        </p>
      ) : (
        <p class="verdict">{t("This was better:")}</p>
      )}
      <p class="note">
        {again} {found.rating && t("Your puzzle rating: {rating} ({low} to {high}).", { rating: String(Math.round(found.rating.rating)), low: String(Math.round(found.rating.interval[0])), high: String(Math.round(found.rating.interval[1])) })}
      </p>
    </>
  );
}

/** The line that shows why; a tap shows its position. */
function Line({ card, line, step, onStep }: { card: CardView; line: LineStep[]; step: number; onStep: (step: number) => void }) {
  return (
    <p class="best-line" role="group" aria-label={t("The line")}>
      {line.map((move, index) => {
        const number = moveNumber(card.game, card.ply + index);
        const here = step === index + 1;
        return (
          <button key={index} type="button" class={here ? "current" : ""} aria-current={here ? "true" : undefined} onClick={() => onStep(index + 1)}>
            {(index === 0 || number.endsWith(".")) && `${number} `}
            {moveName(card.game, move, index === 0 ? card.last : line[index - 1]!.text)}
          </button>
        );
      })}
    </p>
  );
}
