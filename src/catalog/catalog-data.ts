import { type Fault, InvalidRequest } from '../core/errors/app-error.js';
import { isObject, type Json, type JsonObject } from '../core/json/json.js';

/** Who vouches for a catalog entry. */
export const CONTENT_CLASSES = ['official', 'verified', 'project', 'community'] as const;
export type ContentClass = (typeof CONTENT_CLASSES)[number];

/** The purpose of a catalog entry. */
export const CATALOG_TYPES = [
  'Deployment',
  'Observability',
  'Resiliency',
  'Scaling',
  'Security',
  'Traffic-management',
  'Troubleshooting',
  'Workloads',
] as const;
export type CatalogType = (typeof CATALOG_TYPES)[number];

/** The publisher's description of a catalog entry. Unknown members are kept unchanged. */
export interface CatalogData {
  content_class: ContentClass;
  type: CatalogType;
  pattern_info?: string;
  pattern_caveats?: string;
  /** Compatible technologies. */
  compatibility: string[];
  [member: string]: Json | undefined;
}

const TEXT = { type: 'string' };
/** The schemas of the known members, as they are sent. */
export const CATALOG_MEMBERS = {
  content_class: { ...TEXT, enum: CONTENT_CLASSES, description: 'Who vouches for it.' },
  type: { ...TEXT, enum: CATALOG_TYPES, description: 'What it is for.' },
  pattern_info: { ...TEXT, description: 'What it does.' },
  pattern_caveats: { ...TEXT, description: 'What to look out for.' },
  compatibility: { type: 'array', items: TEXT, description: 'The technologies that it is for.' },
};
/** As they are shown, with those that the server sets. */
export const PUBLISHED_MEMBERS = {
  ...CATALOG_MEMBERS,
  published_version: { ...TEXT, description: 'The version that was published; of a filter, its digest.' },
  published_at: { ...TEXT, format: 'date-time', description: 'When it was published.' },
};

const MAX_CHARACTERS = 64_000;
/** The fields that the server sets. */
const SERVER_FIELDS = ['published_version', 'published_at'];

/**
 * Validates the data of a catalog entry from a request. Values of enumerations are matched case-insensitively and normalized.
 * @throws InvalidRequest naming every fault
 */
export function parseCatalogData(given: Record<string, unknown>): CatalogData {
  const faults: Fault[] = [];
  const fault = (name: string, detail: string) => faults.push({ pointer: `/catalog_data/${name}`, detail });
  const word = <W extends string>(name: string, words: readonly W[]): W | undefined => {
    const found = matchWord(given[name], words);
    if (found === undefined)
      fault(name, `${given[name] === undefined ? 'is required: ' : 'must be '}one of ${words.join(', ')}`);
    return found;
  };
  const content_class = word('content_class', CONTENT_CLASSES);
  const type = word('type', CATALOG_TYPES);
  for (const name of ['pattern_info', 'pattern_caveats'])
    if (given[name] !== undefined && typeof given[name] !== 'string') fault(name, 'must be a string');
  const compatibility = given['compatibility'] ?? [];
  const listed = Array.isArray(compatibility) && compatibility.every((each) => typeof each === 'string');
  if (!listed) fault('compatibility', 'must be a list of strings');
  if (JSON.stringify(given).length > MAX_CHARACTERS)
    faults.push({ pointer: '/catalog_data', detail: `must have at most ${MAX_CHARACTERS} characters as JSON` });
  if (!content_class || !type || !listed || !isObject(given) || faults.length > 0)
    throw new InvalidRequest(faults.map(({ pointer = '', detail }) => `${pointer.slice(1)} ${detail}`).join('; '), {
      errors: faults,
    });
  return { ...omitServerFields(given), content_class, type, compatibility };
}

/** The technologies of an entry, in lowercase, sorted and unique: the compatible ones and those of its content. */
export function technologiesOf({ compatibility }: CatalogData, madeOf: readonly string[] = []): string[] {
  const all = [...compatibility, ...madeOf].map((each) => each.trim().toLowerCase()).filter(Boolean);
  return [...new Set(all)].sort();
}

/** The matching word, case-insensitively; undefined when none matches. */
export function matchWord<W extends string>(given: unknown, words: readonly W[]): W | undefined {
  return typeof given === 'string' ? words.find((each) => each.toLowerCase() === given.toLowerCase()) : undefined;
}

const omitServerFields = (given: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(given).filter(([name]) => !SERVER_FIELDS.includes(name)));
