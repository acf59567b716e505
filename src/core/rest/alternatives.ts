import { InvalidRequest } from '../errors/app-error.js';

/** What a request has at several places, by pointer or by the name of a query parameter; undefined, null and '' is nothing. */
type SentValues = Readonly<Record<string, unknown>>;

/**
 * For values of which a request sends one, such as a file or the URL of a file: none is preferred silently.
 * @throws InvalidRequest naming those that are sent together
 */
export function assertOneSent(sent: SentValues): void {
  const places = Object.keys(sent).filter((place) => isSent(sent[place]));
  if (places.length > 1) throw contradiction(places, 'cannot be sent together', 'Send one of them.');
}

/**
 * For one value that a request may have at several places, such as an id in the body and in the query.
 * @throws InvalidRequest naming the places where it differs
 */
export function assertSameWhereSent(sent: SentValues): void {
  const places = Object.keys(sent).filter((place) => isSent(sent[place]));
  const values = new Set(places.map((place) => String(sent[place]).toLowerCase()));
  if (values.size > 1) throw contradiction(places, 'differ', 'Send it once.');
}

const isSent = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

function contradiction(places: string[], detail: string, remedy: string): InvalidRequest {
  const isInBody = (place: string) => place.startsWith('/');
  const name = (place: string) => (isInBody(place) ? place.slice(1).replaceAll('/', '.') : `${place} of the query`);
  const text = `${places.map(name).join(' and ')} ${detail}`;
  return new InvalidRequest(text, { errors: places.map((pointer) => ({ pointer, detail: text })), remedy });
}
