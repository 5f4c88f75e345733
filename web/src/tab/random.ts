// NumPy's random numbers: SeedSequence and PCG64 as `numpy.random.default_rng` has them, number for number. A player in a
// tab so draws the moves that the same seed gives in Python.

const WORD = 0xffffffffn;
const MASK64 = (1n << 64n) - 1n;
const MASK128 = (1n << 128n) - 1n;
const MULTIPLIER = 0x2360ed051fc65da44385df649fccf645n;

/** The words of 32 bits of a whole number, the lowest first; one for 0. */
function words(number: number | bigint): number[] {
  let rest = BigInt(number);
  const found: number[] = [];
  do {
    found.push(Number(rest & WORD));
    rest >>= 32n;
  } while (rest > 0n);
  return found;
}

/** SeedSequence(entropy).generate_state(8): eight words of 32 bits. */
function seedWords(entropy: (number | bigint)[]): number[] {
  const given = entropy.flatMap(words);
  let constant = 0x43b0d7e5;
  const hash = (value: number): number => {
    let mixed = (value ^ constant) >>> 0;
    constant = Math.imul(constant, 0x931e8875) >>> 0;
    mixed = Math.imul(mixed, constant) >>> 0;
    return (mixed ^ (mixed >>> 16)) >>> 0;
  };
  const mix = (x: number, y: number): number => {
    const mixed = (Math.imul(0xca01f9dd, x) - Math.imul(0x4973f715, y)) >>> 0;
    return (mixed ^ (mixed >>> 16)) >>> 0;
  };
  const pool = Array.from({ length: 4 }, (_, index) => hash(given[index] ?? 0));
  for (let from = 0; from < 4; from++)
    for (let to = 0; to < 4; to++) if (from !== to) pool[to] = mix(pool[to]!, hash(pool[from]!));
  for (const value of given.slice(4)) for (let to = 0; to < 4; to++) pool[to] = mix(pool[to]!, hash(value));
  let out = 0x8b51f9dd;
  return Array.from({ length: 8 }, (_, index) => {
    let value = (pool[index % 4]! ^ out) >>> 0;
    out = Math.imul(out, 0x58f38ded) >>> 0;
    value = Math.imul(value, out) >>> 0;
    return (value ^ (value >>> 16)) >>> 0;
  });
}

/** `numpy.random.default_rng(seed)`. */
export class Generator {
  private state = 0n;
  private readonly increment: bigint;
  /** The upper half of a number of 64 bits whose lower half was given out. */
  private kept: number | null = null;

  constructor(seed: (number | bigint)[]) {
    const all = seedWords(seed).map(BigInt);
    const whole = (at: number) => all[at]! | (all[at + 1]! << 32n);
    const first = (whole(0) << 64n) | whole(2);
    this.increment = ((((whole(4) << 64n) | whole(6)) << 1n) | 1n) & MASK128;
    this.step();
    this.state = (this.state + first) & MASK128;
    this.step();
  }

  /** A number from 0 to 1. */
  random(): number {
    return Number(this.next64() >> 11n) / 9007199254740992;
  }

  /** A whole number below `bound`, which is below 2^32. */
  integer(bound: number): number {
    if (bound <= 1) return 0;
    const range = BigInt(bound);
    let product = BigInt(this.next32()) * range;
    if ((product & WORD) < range) {
      const threshold = (WORD - (range - 1n)) % range;
      while ((product & WORD) < threshold) product = BigInt(this.next32()) * range;
    }
    return Number(product >> 32n);
  }

  /** The number that `integers(2**63)` draws. */
  large(): bigint {
    return this.next64() >> 1n;
  }

  /** `shuffle` of a list. */
  shuffle<T>(items: T[]): T[] {
    for (let index = items.length - 1; index > 0; index--) {
      const mask = 2 ** Math.ceil(Math.log2(index + 1)) - 1;
      let other = index + 1;
      while (other > index) other = (this.next32() & mask) >>> 0;
      [items[index], items[other]] = [items[other]!, items[index]!];
    }
    return items;
  }

  /** The index that `choice(len(p), p=p)` draws. */
  choice(probabilities: ArrayLike<number>): number {
    const sums = new Float64Array(probabilities.length);
    let sum = 0;
    for (let index = 0; index < sums.length; index++) sums[index] = sum += probabilities[index]!;
    const at = this.random();
    const found = sums.findIndex((value) => value / sum > at);
    return found < 0 ? sums.length - 1 : found;
  }

  private step(): void {
    this.state = (this.state * MULTIPLIER + this.increment) & MASK128;
  }

  private next64(): bigint {
    this.step();
    const turn = this.state >> 122n;
    const folded = ((this.state >> 64n) ^ this.state) & MASK64;
    return ((folded >> turn) | (folded << ((64n - turn) & 63n))) & MASK64;
  }

  private next32(): number {
    if (this.kept !== null) {
      const kept = this.kept;
      this.kept = null;
      return kept;
    }
    const next = this.next64();
    this.kept = Number(next >> 32n);
    return Number(next & WORD);
  }
}
