// The service worker of the browser edition: keeps every file of this version that was loaded once, and gives it without a
// network. The build replaces VERSION and SHELL; another version deletes the files of this one.
const CACHE = "sparring-VERSION";
const SHELL = ["SHELL"];

addEventListener("install", () => skipWaiting());

addEventListener("activate", (event) => {
  const clean = async () => {
    for (const name of await caches.keys()) if (name.startsWith("sparring-") && name !== CACHE) await caches.delete(name);
    await clients.claim();
    await (await caches.open(CACHE)).addAll(SHELL);
  };
  event.waitUntil(clean());
});

addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || new URL(request.url).origin !== location.origin) return;
  const answer = async () => {
    const cache = await caches.open(CACHE);
    const kept = await cache.match(request, { ignoreSearch: true });
    if (kept) return kept;
    const found = await fetch(request);
    if (found.ok) await cache.put(request, found.clone());
    return found;
  };
  event.respondWith(answer());
});
