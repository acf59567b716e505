import { Injectable } from '@nestjs/common';
import type { DesignOutline } from '../../formats/design-file/design-outline.js';

/** Reports the first reason why a design cannot be deployed, or null. */
export type DesignCheck = (design: DesignOutline) => string | null | Promise<string | null>;

/** Checks whether a design can be deployed. Later modules add their own checks. */
@Injectable()
export class DesignCheckRegistry {
  private readonly checks: DesignCheck[] = [hasDeployableComponent, everyComponentHasKind, everyResourceIsOnce];

  register(check: DesignCheck): void {
    this.checks.push(check);
  }

  /** The first reason found by the checks; empty when the design can be deployed. */
  async findUnsupportedReason(design: DesignOutline): Promise<string> {
    for (const check of this.checks) {
      const reason = await check(design);
      if (reason !== null) return reason;
    }
    return '';
  }
}

const hasDeployableComponent: DesignCheck = async (design) =>
  (await design.findKind(({ deployable }) => deployable)) ? null : 'nothing in this design can be deployed';

const everyComponentHasKind: DesignCheck = async (design) => {
  const nameless = await design.findKind(({ deployable, kind }) => deployable && kind === '');
  return nameless ? `component ${nameless.firstComponent} has no kind` : null;
};

const everyResourceIsOnce: DesignCheck = ({ repeated }) =>
  repeated === undefined ? null : `${repeated} is in this design more than once`;
