import { Injectable } from '@nestjs/common';
import type { PackedDesign } from '../../formats/design-file/packed-design.js';

/** Reports the first reason why a design cannot be deployed, or null. */
export type DesignCheck = (design: PackedDesign) => string | null | Promise<string | null>;

/** Checks whether a design can be deployed. Later modules add their own checks. */
@Injectable()
export class DesignCheckRegistry {
  private readonly checks: DesignCheck[] = [hasDeployableComponent, everyComponentHasKind, everyResourceIsOnce];

  register(check: DesignCheck): void {
    this.checks.push(check);
  }

  /** The first reason found by the checks; empty when the design can be deployed. */
  async findUnsupportedReason(design: PackedDesign): Promise<string> {
    for (const check of this.checks) {
      const reason = await check(design);
      if (reason !== null) return reason;
    }
    return '';
  }
}

const hasDeployableComponent: DesignCheck = async ({ outline }) =>
  (await outline.findKind(({ deployable }) => deployable)) ? null : 'nothing in this design can be deployed';

const everyComponentHasKind: DesignCheck = async ({ outline }) => {
  const nameless = await outline.findKind(({ deployable, kind }) => deployable && kind === '');
  return nameless ? `component ${nameless.firstComponent} has no kind` : null;
};

const everyResourceIsOnce: DesignCheck = ({ outline: { repeated } }) =>
  repeated === undefined ? null : `${repeated} is in this design more than once`;
