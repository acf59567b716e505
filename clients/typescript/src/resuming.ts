import { ArmatureError } from './armature-error.js';
import { delayBefore, sleep } from './transport.js';

/** What is known of a stream, told by what opens it. */
export interface StreamState {
  /** It was accepted once: from then on, a break is temporary. */
  wasOpen: boolean;
  /** It has come to its end, and is not opened again. */
  isComplete: boolean;
}

/**
 * Goes through a stream that is opened again after each break. The first opening fails as a call does; later ones are
 * repeated until one succeeds or is refused.
 */
export async function* resuming<T>(
  open: (state: StreamState) => AsyncGenerator<T, void, undefined>,
  signal: AbortSignal | undefined,
): AsyncGenerator<T, void, undefined> {
  const state = { wasOpen: false, isComplete: false };
  for (let breaks = 0; ; breaks += 1) {
    let headers = new Headers();
    try {
      for await (const item of open(state)) {
        breaks = 0;
        yield item;
      }
      if (state.isComplete) return;
    } catch (error) {
      if (!state.wasOpen || !(error instanceof ArmatureError) || isRefusal(error)) throw error;
      headers = error.headers;
    }
    await sleep(delayBefore(breaks, { headers }), signal);
  }
}

/** Without a response of the API, a server is away or being replaced; a token that was refused stays so. */
function isRefusal({ status, problem }: ArmatureError): boolean {
  if (status === 401 || status === 403) return true;
  return problem !== undefined && status < 500 && status !== 429;
}
