import { Injectable } from '@nestjs/common';
import type { DesignOutline } from '../formats/design-outline.js';

/** Tells the first reason why a design cannot be deployed, or null. */
export type DesignCheck = (design: DesignOutline) => string | null | Promise<string | null>;

/** What makes a design undeployable. Later modules add their own checks. */
@Injectable()
export class DesignChecks {
  private readonly checks: DesignCheck[] = [holdsSomething, everythingNamed];

  add(check: DesignCheck): void {
    this.checks.push(check);
  }

  /** The first reason of the first check that has one; empty when the design can be deployed. */
  async firstReason(design: DesignOutline): Promise<string> {
    for (const check of this.checks) {
      const reason = await check(design);
      if (reason !== null) return reason;
    }
    return '';
  }
}

const holdsSomething: DesignCheck = async (design) =>
  (await design.find(({ deployable }) => deployable)) ? null : 'nothing in this design can be deployed';

const everythingNamed: DesignCheck = async (design) => {
  const nameless = await design.find(({ deployable, kind }) => deployable && kind === '');
  return nameless ? `component ${nameless.first} has no kind` : null;
};
