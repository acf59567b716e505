import { setTimeout as sleep } from 'node:timers/promises';
import WebSocket from 'ws';

/** Someone who follows the events of an organization and notes their numbers. */
export interface Subscriber {
  numbers: number[];
  /** How often the connection ended without having been ended here. */
  losses: () => number;
  stop: () => void;
}

/** Over a socket that is never opened again. */
export async function socketSubscriber(url: string, token: string, organization: string): Promise<Subscriber> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/api/system/graphql/query`, 'graphql-transport-ws');
  const numbers: number[] = [];
  let losses = 0;
  const query = `subscription { subscribeEvents(organizationID: "${organization}") { sequence } }`;
  socket.on('open', () =>
    socket.send(JSON.stringify({ type: 'connection_init', payload: { Authorization: `Bearer ${token}` } })),
  );
  socket.on('message', (data) => {
    const { type, payload } = JSON.parse((data as Buffer).toString()) as {
      type: string;
      payload?: { data?: { subscribeEvents: { sequence: string } } };
    };
    if (type === 'connection_ack') socket.send(JSON.stringify({ type: 'subscribe', id: '1', payload: { query } }));
    if (type === 'ping') socket.send(JSON.stringify({ type: 'pong' }));
    const sequence = type === 'next' ? payload?.data?.subscribeEvents.sequence : undefined;
    if (sequence) numbers.push(Number(sequence));
  });
  const lost = () => losses++;
  socket.on('close', lost);
  socket.on('error', () => undefined);
  await sleep(1_000);
  return {
    numbers,
    losses: () => losses,
    stop: () => {
      socket.off('close', lost);
      socket.terminate();
    },
  };
}

/** Over streams that it hangs up on every few seconds, each resumed after the last event that it read. */
export function resumingSubscriber(url: string, token: string, organization: string): Subscriber {
  const numbers: number[] = [];
  let last: string | undefined;
  let losses = 0;
  let stopped = false;
  const read = async (): Promise<void> => {
    const hangUp = new AbortController();
    const timer = setTimeout(() => hangUp.abort(), 3_000);
    try {
      const response = await fetch(`${url}/api/events/stream?orgID=${organization}`, {
        headers: { authorization: `Bearer ${token}`, ...(last ? { 'last-event-id': last } : {}) },
        signal: hangUp.signal,
      });
      if (response.status !== 200) return void (await sleep(500));
      let text = '';
      for await (const chunk of response.body ?? []) {
        text += Buffer.from(chunk as Uint8Array).toString();
        for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
          const id = /^id: (.+)$/m.exec(text.slice(0, end))?.[1];
          if (id && /^data: /m.test(text.slice(0, end))) numbers.push(Number(id.split(':')[1]));
          last = id ?? last;
          text = text.slice(end + 2);
        }
      }
      losses++;
    } catch {
      if (!hangUp.signal.aborted) {
        losses++;
        await sleep(500);
      }
    } finally {
      clearTimeout(timer);
    }
  };
  void (async () => {
    while (!stopped) await read();
  })();
  return { numbers, losses: () => losses, stop: () => void (stopped = true) };
}
