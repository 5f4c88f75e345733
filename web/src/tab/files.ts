// The files beside the page: the core, the runtime of networks, and the networks, packed with gzip.
import type { Core } from "./core";
import { NetworkPolicy, type NetworkSettings, type Policy, type Session } from "./policies";

/** The part of onnxruntime-web that is used. */
interface Runtime {
  env: { wasm: { numThreads: number; wasmPaths: unknown; wasmBinary?: ArrayBufferLike }; logLevel: string };
  Tensor: new (type: string, data: unknown, shape: number[]) => unknown;
  InferenceSession: { create(model: Uint8Array, options: object): Promise<{ run(inputs: object): Promise<Record<string, { data: Float32Array }>> }> };
}

/** Reads a file of the site, as it was before gzip. */
export type ReadFile = (name: string) => Promise<Uint8Array>;

/** The content of a file that may be packed: a server may have unpacked it already. */
export async function unpacked(content: Uint8Array): Promise<Uint8Array> {
  if (content[0] !== 0x1f || content[1] !== 0x8b) return content;
  const stream = new Blob([content as BlobPart]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** The core of the site. */
export async function openCore(folder: string, read: ReadFile): Promise<Core> {
  const wasmBinary = await read("core.wasm.gz");
  const { default: create } = (await import(/* @vite-ignore */ `${folder}core.mjs`)) as { default: (options: object) => Promise<Core> };
  return create({ wasmBinary });
}

/** Networks by their settings, each loaded once. */
export function networkLoader(folder: string, read: ReadFile, threads: number): (settings: NetworkSettings) => Promise<Policy> {
  let runtime: Promise<Runtime> | undefined;
  const loaded = new Map<string, Promise<Policy>>();
  const openRuntime = async (): Promise<Runtime> => {
    const [wasm, ort] = await Promise.all([read("ort.wasm.gz"), import(/* @vite-ignore */ `${folder}ort.mjs`) as Promise<Runtime>]);
    ort.env.wasm.numThreads = threads;
    ort.env.wasm.wasmBinary = wasm.buffer;
    ort.env.wasm.wasmPaths = { mjs: `${folder}ort-wasm-simd-threaded.mjs` };
    ort.env.logLevel = "error";
    return ort;
  };
  const open = async (settings: NetworkSettings): Promise<Policy> => {
    const [ort, model] = await Promise.all([(runtime ??= openRuntime()), read(`${settings.file}.gz`)]);
    const session = await ort.InferenceSession.create(model, { executionProviders: ["wasm"] });
    const run: Session["run"] = async (inputs) => {
      const tensors = Object.fromEntries(Object.entries(inputs).map(([name, { type, data, shape }]) => [name, new ort.Tensor(type, data, shape)]));
      const outputs = await session.run(tensors);
      return Object.fromEntries(Object.entries(outputs).map(([name, { data }]) => [name, data]));
    };
    return new NetworkPolicy(settings, { run });
  };
  return (settings) => {
    const found = loaded.get(settings.file) ?? open(settings);
    loaded.set(settings.file, found);
    found.catch(() => loaded.delete(settings.file)); // a lost connection: it is tried again
    return found;
  };
}
