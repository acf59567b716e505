import type { Actor } from '../access/actor.js';

export const SEVERITIES = [
  'alert',
  'critical',
  'debug',
  'emergency',
  'error',
  'warning',
  'informational',
  'success',
] as const;
export type Severity = (typeof SEVERITIES)[number];

/** The record that an event is about. */
export interface EventSubject {
  id: string;
  /** The organization that owns the record; null for records of the installation. */
  organizationId: string | null;
  /** The workspace whose members may read the event, when it belongs to one. */
  workspaceId?: string | null;
}

/** A domain event. Subclasses are named in the past tense and are defined next to their publisher. */
export abstract class DomainEvent {
  abstract readonly category: string;
  abstract readonly action: string;
  /** One sentence for people. */
  abstract readonly description: string;
  readonly severity: Severity = 'informational';
  /** The operation that the event belongs to; the one that publishes it when it is null. */
  readonly operationId: string | null = null;

  constructor(
    readonly actor: Actor,
    readonly subject: EventSubject,
    /** Machine-readable details, without secrets. */
    readonly metadata: Record<string, unknown> = {},
  ) {}

  get kind(): string {
    return `${this.category}.${this.action}`;
  }
}
