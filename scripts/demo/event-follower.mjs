import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from 'graphql-ws';
import WebSocket from 'ws';
import { CallFailed } from './api-client.mjs';

const SUBSCRIPTION = `subscription ($workspace: ID!) {
  subscribeEvents(workspaceID: $workspace) { sequence category action severity description acted_upon metadata }
}`;

/** Events follow the answer of a call by a moment. */
const PATIENCE_MS = 5_000;

/** Follows the events of a workspace over the GraphQL socket, and prints each as it comes. */
export async function followEvents({ baseUrl, token }, workspace) {
  const seen = [];
  let broken = null;
  let connected = () => undefined;
  const open = new Promise((resolve) => (connected = resolve));
  const client = createClient({
    url: `${baseUrl.replace(/^http/, 'ws')}/api/system/graphql/query`,
    webSocketImpl: WebSocket,
    connectionParams: { Authorization: `Bearer ${token}` },
    retryAttempts: 0,
    lazy: true,
    on: { connected: () => connected() },
  });
  const fail = (error) => {
    broken = Array.isArray(error) ? error.map(({ message }) => message).join('; ') : (error.reason ?? error.message);
    connected();
  };
  client.subscribe(
    { query: SUBSCRIPTION, variables: { workspace } },
    {
      next: ({ data, errors }) => {
        if (errors) return fail(errors);
        const { sequence, category, action, severity, description, metadata } = data.subscribeEvents;
        seen.push(data.subscribeEvents);
        process.stdout.write(`   event ${sequence} ${category}.${action} (${severity}) ${description}\n`);
        for (const { kind, name, message } of metadata?.waiting ?? [])
          process.stdout.write(`      ${kind}/${name}: ${message}\n`);
      },
      error: fail,
      complete: () => undefined,
    },
  );
  await open;
  // The socket is open; the server takes the subscription in with the message that follows.
  await sleep(200);
  if (broken) throw new CallFailed(`following events failed: ${broken}`);
  process.stdout.write('   following events over the socket\n');

  return {
    get count() {
      return seen.length;
    },
    /** @throws CallFailed when no such event about the record has come */
    async mustHave(kind, actedUpon) {
      const isIt = (event) => `${event.category}.${event.action}` === kind && event.acted_upon === actedUpon;
      for (const deadline = Date.now() + PATIENCE_MS; !seen.some(isIt); await sleep(50)) {
        if (broken) throw new CallFailed(`following events failed: ${broken}`);
        if (Date.now() > deadline) throw new CallFailed(`no event ${kind} has come`);
      }
    },
    close: () => client.dispose(),
  };
}
