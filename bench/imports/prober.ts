import { parentPort, workerData } from 'node:worker_threads';

/** Asks for `/healthz/live` again and again in a thread of its own; on `reset`, it answers the longest time since, in ms. */
let longest = 0;
parentPort?.on('message', () => {
  parentPort?.postMessage(longest);
  longest = 0;
});

for (;;) {
  const began = performance.now();
  await (await fetch(`${String(workerData)}/healthz/live`)).arrayBuffer();
  longest = Math.max(longest, performance.now() - began);
  await new Promise((resolve) => setTimeout(resolve, 2));
}
