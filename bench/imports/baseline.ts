import { parentPort } from 'node:worker_threads';
import { parseAllDocuments } from 'yaml';

/** What a server would do at the very least: the documents of a text, as the YAML library reads them, and as JSON again. Answers milliseconds. */
parentPort?.on('message', ({ text, json }: { text: string; json: boolean }) => {
  const began = performance.now();
  if (json) JSON.stringify(JSON.parse(text));
  else for (const document of parseAllDocuments(text, { uniqueKeys: false })) JSON.stringify(document.toJS());
  parentPort?.postMessage(performance.now() - began);
});
