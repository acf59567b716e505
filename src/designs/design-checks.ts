import { Injectable } from '@nestjs/common';
import type { DesignFile } from '../formats/design-file.js';
import { deployedComponents } from './deployed-components.js';

/** Tells the first reason why a design cannot be deployed, or null. */
export type DesignCheck = (design: DesignFile) => string | null | Promise<string | null>;

/** What makes a design undeployable. Later modules add their own checks. */
@Injectable()
export class DesignChecks {
  private readonly checks: DesignCheck[] = [holdsSomething, everythingNamed];

  add(check: DesignCheck): void {
    this.checks.push(check);
  }

  /** The first reason of the first check that has one; empty when the design can be deployed. */
  async firstReason(design: DesignFile): Promise<string> {
    for (const check of this.checks) {
      const reason = await check(design);
      if (reason !== null) return reason;
    }
    return '';
  }
}

const holdsSomething: DesignCheck = (design) =>
  deployedComponents(design).length > 0 ? null : 'nothing in this design can be deployed';

const everythingNamed: DesignCheck = (design) => {
  const nameless = deployedComponents(design).find(({ component }) => component.kind === '');
  return nameless ? `component ${nameless.displayName || nameless.id} has no kind` : null;
};
