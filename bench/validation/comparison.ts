import type { JsonObject } from '../../src/core/json/json.js';
import type { ValidationResult } from '../../src/validation/schema/findings.js';
import type { Answer, Kind } from './api-server.js';
import { classOf, placeClassOf } from './classes.js';
import { comparable } from './places.js';

export interface Case {
  kind: Kind;
  way: string;
  isBuiltIn: boolean;
  object: JsonObject;
  answer: Answer;
  verdict: ValidationResult;
}

export interface Disagreement {
  class: string;
  kind: string;
  way: string;
  server: string;
  ours: string;
  object: JsonObject;
}

/** Counts in how far two judges agree. */
export class Comparison {
  readonly disagreements: Disagreement[] = [];
  private readonly cases: { isBuiltIn: boolean; way: string; kind: string; agrees: boolean; isValid: boolean }[] = [];
  private readonly left = new Map<string, number>();
  private places = { both: 0, same: 0, near: 0 };
  private unknown = { reported: 0, same: 0 };
  private unjudged = 0;

  /** Leaves out an object about which the server says something else. */
  leave({ status, message }: Answer): void {
    const reason = `${status} ${message.replace(/"[^"]*"/g, '""').slice(0, 70)}`;
    this.left.set(reason, (this.left.get(reason) ?? 0) + 1);
  }

  add(one: Case): void {
    const { kind, way, isBuiltIn, answer, verdict } = one;
    const ours = verdict.errors.length === 0;
    const agrees = ours === answer.isValid;
    const name = `${kind.apiVersion}/${kind.kind}`;
    this.cases.push({ isBuiltIn, way, kind: name, agrees, isValid: answer.isValid === true });
    if (verdict.warnings.some(({ keyword }) => keyword === 'not-judged')) this.unjudged++;
    if (!agrees) this.disagree(one, name);
    else if (!ours) this.comparePlaces(one, name);
    else this.compareUnknown(one, name);
  }

  private disagree({ way, object, answer, verdict }: Case, kind: string): void {
    const { errors, warnings } = verdict;
    const ours =
      errors.map(({ pointer, detail }) => `${pointer}: ${detail}`).join(' | ') ||
      `valid ${warnings.map((w) => w.detail).join(' | ')}`;
    const server = answer.isValid ? 'valid' : answer.message;
    this.disagreements.push({ class: classOf(kind, server, verdict), kind, way, server, ours, object });
  }

  private comparePlaces({ way, object, answer, verdict }: Case, kind: string): void {
    if (answer.places.length === 0) return;
    this.places.both++;
    const strip = (place: string): string => comparable(place).replace(/\.\d+(?=\.|$)/g, '');
    const theirs = answer.places.map(strip);
    const mine = verdict.errors.map(({ pointer }) => strip(pointer));
    if (mine.some((place) => theirs.includes(place))) this.places.same++;
    else if (mine.some((place) => theirs.some((other) => isNear(place, other)))) this.places.near++;
    else
      this.disagreements.push({
        class: placeClassOf(answer.places.join(', ')),
        kind,
        way,
        server: `${answer.places.join(', ')}: ${answer.message}`,
        ours: verdict.errors.map(({ pointer, detail }) => `${pointer}: ${detail}`).join(' | '),
        object,
      });
  }

  private compareUnknown({ way, object, answer, verdict }: Case, kind: string): void {
    const mine = verdict.warnings
      .filter(({ keyword }) => keyword === 'unknown-field')
      .map(({ pointer }) => comparable(pointer));
    const theirs = answer.unknown.map(comparable);
    if (mine.length + theirs.length === 0) return;
    this.unknown.reported++;
    if ([...mine].sort().join() === [...theirs].sort().join()) this.unknown.same++;
    else
      this.disagreements.push({
        class: 'unknown fields',
        kind,
        way,
        server: theirs.join(', '),
        ours: mine.join(', '),
        object,
      });
  }

  report(): string {
    const lines: string[] = [];
    const share = (cases: typeof this.cases): string => {
      const agreed = cases.filter(({ agrees }) => agrees).length;
      return `${agreed} of ${cases.length} (${((100 * agreed) / Math.max(cases.length, 1)).toFixed(2)} %)`;
    };
    const kinds = (cases: typeof this.cases): number => new Set(cases.map(({ kind }) => kind)).size;
    for (const [title, cases] of [
      ['all', this.cases],
      ['built-in', this.cases.filter(({ isBuiltIn }) => isBuiltIn)],
      ['custom', this.cases.filter(({ isBuiltIn }) => !isBuiltIn)],
      ['valid for the server', this.cases.filter(({ isValid }) => isValid)],
      ['invalid for the server', this.cases.filter(({ isValid }) => !isValid)],
    ] as const)
      lines.push(`${title}: ${kinds(cases)} kinds, verdict agrees in ${share(cases)}`);
    lines.push(`place of an error: same ${this.places.same}, next to it ${this.places.near}, of ${this.places.both}`);
    lines.push(
      `unknown fields: same ${this.unknown.same} of ${this.unknown.reported}`,
      `only partly judged: ${this.unjudged}`,
      '',
    );
    const ways = [...new Set(this.cases.map(({ way }) => way))];
    for (const way of ways) lines.push(`  ${way}: ${share(this.cases.filter((one) => one.way === way))}`);
    lines.push(
      '',
      'left out:',
      ...[...this.left].map(([reason, count]) => `  ${count} ${reason}`),
      '',
      'classes of disagreement:',
    );
    const classes = new Map<string, Disagreement[]>();
    for (const one of this.disagreements) classes.set(one.class, [...(classes.get(one.class) ?? []), one]);
    for (const [name, all] of [...classes].sort((a, b) => b[1].length - a[1].length)) {
      const [example] = all;
      lines.push(
        `  ${all.length} ${name}`,
        `      ${example?.kind}, ${example?.way}: server: ${example?.server.slice(0, 200)}; here: ${example?.ours.slice(0, 200)}`,
      );
    }
    return lines.join('\n');
  }
}

/** The same but for the last step of one of them. */
function isNear(place: string, other: string): boolean {
  const parent = (path: string): string => path.slice(0, Math.max(path.lastIndexOf('.'), 0));
  return (
    place.startsWith(`${other}.`) || other.startsWith(`${place}.`) || parent(place) === other || parent(other) === place
  );
}
