import { KANJI } from "./kanji";

const PAWN = "M0 -4.2a2.3 2.3 0 0 1 1.5 4 5 5 0 0 1 2.3 4.6h-7.6a5 5 0 0 1 2.3-4.6A2.3 2.3 0 0 1 0-4.2z";
const KNIGHT = "M22 10c10.5 1 16.5 8 16 29H15c0-9 10-6.5 8-21M24 18c.4 2.9-5.6 7.4-8 9-3 2-2.8 4.3-5 4-1-.9 1.4-3 0-3-1 0 .2 1.2-1 2-1 0-4 1-4-4 0-2 6-12 6-12s1.9-1.9 2-3.5c-.7-1-.5-2-.5-3 1-1 3 2.5 3 2.5h2s.8-2 2.5-3c1 0 1 3 1 3";

/** The sign of a game, 48 by 48. */
export function Emblem({ game }: { game: string }) {
  return (
    <svg class="emblem" viewBox="0 0 48 48" aria-hidden="true">
      {DRAWINGS[game] ?? <rect width="48" height="48" fill="#dfb672" />}
    </svg>
  );
}

const squares = (dark: string, light: string) => (
  <>
    <rect width="48" height="48" fill={light} />
    <path fill={dark} d="M24 0h24v24H24zM0 24h24v24H0z" />
  </>
);
const knight = (fill: string, stroke: string) => <path transform="translate(2 0)" d={KNIGHT} fill={fill} stroke={stroke} stroke-width="1.6" stroke-linejoin="round" />;
const stone = (x: number, y: number, dark: boolean) => (
  <circle cx={x} cy={y} r="7.3" fill={dark ? "#1d1d1f" : "#fbfaf6"} stroke={dark ? "#000" : "#8d8778"} stroke-width="0.4" />
);

const DRAWINGS: Record<string, preact.JSX.Element> = {
  chess: (
    <>
      {squares("#b58863", "#f0d9b5")}
      {knight("#fff", "#1b1b1b")}
    </>
  ),
  rbc: (
    <>
      {squares("#2f3a44", "#44525d")}
      <rect x="8" y="8" width="32" height="32" rx="2" fill="none" stroke="#63b3e6" stroke-width="2.4" />
      <g opacity="0.75">{knight("#151a1f", "#dfe6ea")}</g>
    </>
  ),
  shogi: (
    <>
      <rect width="48" height="48" fill="#dfb672" />
      <path d="M16 0v48M32 0v48M0 16h48M0 32h48" stroke="#4a3520" stroke-width="0.7" />
      <g transform="translate(24 24.5) scale(3.9)">
        <path d="M0 -4.9L3.2 -3.6L4.3 4.7H-4.3L-3.2 -3.6Z" fill="#fcebc4" stroke="#6b4a1e" stroke-width="0.28" />
        <path d={KANJI.K!.path} transform="translate(0 0.5) scale(0.62)" fill="#1b1b1b" />
      </g>
    </>
  ),
  go: (
    <>
      <rect width="48" height="48" fill="#dfb672" />
      <path d="M8 0v48M24 0v48M40 0v48M0 8h48M0 24h48M0 40h48" stroke="#4a3520" stroke-width="0.9" />
      {stone(24, 24, true)}
      {stone(40, 24, false)}
      {stone(24, 8, false)}
      {stone(24, 40, true)}
    </>
  ),
  expendibots: (
    <>
      {squares("#b58863", "#f0d9b5")}
      <path fill="#c9482c" d="M24 4l4 10 10-5-5 10 11 4-11 5 5 10-10-5-4 11-4-11-10 5 5-10-11-5 11-4-5-10 10 5z" />
      <circle cx="24" cy="24" r="8.5" fill="#fbfaf6" stroke="#6b4a1e" />
      <path d="M21 19.6h5.6l-3.2 3.6a3 3 0 1 1-2.8 4.4" fill="none" stroke="#1b1b1b" stroke-width="1.9" stroke-linecap="round" stroke-linejoin="round" />
    </>
  ),
  breakthrough: (
    <>
      {squares("#b58863", "#f0d9b5")}
      {[10, 24, 38].map((x) => (
        <g key={x}>
          <path transform={`translate(${x} 11) scale(1.5)`} d={PAWN} fill="#1d1d1f" />
          <path transform={`translate(${x} 37) scale(1.5)`} d={PAWN} fill="#fff" stroke="#1b1b1b" stroke-width="0.6" />
        </g>
      ))}
    </>
  ),
};
