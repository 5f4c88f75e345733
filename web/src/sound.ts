// Sounds of the board, made by the browser itself. Off until they are switched on.
import { sound } from "./settings";

type Kind = "move" | "capture" | "end";
let context: AudioContext | undefined;

/** A short knock of wood: noise through a filter; captures are lower, the end of the game is a chord. */
export function play(kind: Kind): void {
  if (sound.value === "off") return;
  context ??= new AudioContext();
  void context.resume();
  if (kind === "end") [392, 494, 587].forEach((pitch, index) => tone(context!, pitch, 0.12 * index));
  else knock(context, kind === "capture" ? 500 : 900);
}

function knock(audio: AudioContext, pitch: number): void {
  const length = Math.floor(audio.sampleRate * 0.06);
  const buffer = audio.createBuffer(1, length, audio.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let index = 0; index < length; index++) samples[index] = (Math.random() * 2 - 1) * Math.exp((-9 * index) / length);
  const source = audio.createBufferSource();
  source.buffer = buffer;
  const filter = audio.createBiquadFilter();
  filter.type = "bandpass";
  filter.frequency.value = pitch;
  source.connect(filter).connect(audio.destination);
  source.start();
}

function tone(audio: AudioContext, pitch: number, after: number): void {
  const oscillator = audio.createOscillator();
  const volume = audio.createGain();
  oscillator.frequency.value = pitch;
  const start = audio.currentTime + after;
  volume.gain.setValueAtTime(0.12, start);
  volume.gain.exponentialRampToValueAtTime(0.001, start + 0.5);
  oscillator.connect(volume).connect(audio.destination);
  oscillator.start(start);
  oscillator.stop(start + 0.5);
}
