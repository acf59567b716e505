import { truncate } from '../../core/errors/app-error.js';

/** An error or warning about a field of a resource. */
export interface Finding {
  /** JSON Pointer (RFC 6901) to the field; empty for the whole resource. */
  pointer: string;
  /** The message, worded as Kubernetes does. */
  detail: string;
  /** The violated rule: a keyword of the schema, `metadata`, `kubernetes` for a rule of the type itself, `unknown-field`, or `not-judged` for what could not be evaluated. */
  keyword: string;
}

/** A resource is valid when there are no errors; warnings report what would be dropped and what could not be evaluated. */
export interface ValidationResult {
  errors: Finding[];
  warnings: Finding[];
}

/** The maximum number of errors, and of warnings: a hostile resource could cause a million. */
const MAX_FINDINGS = 200;
/** The maximum characters of a pointer and of a detail: both quote names from the resource, which may have megabytes. */
const MAX_TEXT_LENGTH = 500;

/** Collects errors and warnings without duplicates, up to a limit. */
export class Findings {
  readonly errors: Finding[] = [];
  readonly warnings: Finding[] = [];

  /** Whether further warnings are dropped, so that callers need not create them. */
  get isFull(): boolean {
    return this.warnings.length >= MAX_FINDINGS;
  }

  error(pointer: string, keyword: string, detail: string): void {
    if (this.errors.length >= MAX_FINDINGS) return;
    if (this.errors.some((known) => known.pointer === pointer && known.detail === detail)) return;
    this.errors.push(limitTexts({ pointer, detail, keyword }));
  }

  warn(pointer: string, keyword: string, detail: string): void {
    if (this.warnings.length >= MAX_FINDINGS) return;
    if (this.warnings.some((known) => known.pointer === pointer && known.detail === detail)) return;
    this.warnings.push(limitTexts({ pointer, detail, keyword }));
  }

  /** Warns of a rule that could not be evaluated here, although an API server evaluates it. */
  notEvaluated(pointer: string, detail: string): void {
    this.warn(pointer, 'not-judged', detail);
  }

  /** Adds all errors and warnings of another list. */
  add({ errors, warnings }: Findings): void {
    for (const { pointer, keyword, detail } of errors) this.error(pointer, keyword, detail);
    for (const { pointer, keyword, detail } of warnings) this.warn(pointer, keyword, detail);
  }
}

const limitTexts = ({ pointer, detail, keyword }: Finding): Finding => ({
  pointer: truncate(pointer, MAX_TEXT_LENGTH),
  detail: truncate(detail, MAX_TEXT_LENGTH),
  keyword,
});

/** `value` as JSON for a message, shortened. */
export function quoted(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

/** The message of `field.Invalid` in Kubernetes. */
export function invalidValue(value: unknown, why: string): string {
  return `Invalid value: ${quoted(value)}: ${why}`;
}

/** `/spec/ports/0/name` → `spec.ports[0].name`, as messages of an API server write it. */
export function toFieldPath(pointer: string): string {
  const segments = pointer.split('/').slice(1);
  const words = segments.map((segment) => {
    const key = segment.replaceAll('~1', '/').replaceAll('~0', '~');
    return /^\d+$/.test(key) ? `[${key}]` : `.${key}`;
  });
  return words.join('').replace(/^\./, '');
}
