import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import type { GrantedKind } from './required-rights.js';

/** What the designs of a workspace contain. */
export interface DesignKinds {
  kinds: { apiVersion: string; kind: string }[];
  /** The kinds that definitions among them define. */
  defined: GrantedKind[];
}

/** @throws NotFound when the workspace is not visible to the actor or of another organization */
export type DesignKindsReader = (actor: Actor, organizationId: string, workspaceId: string) => Promise<DesignKinds>;

/** Reads the kinds of designs, which belong to a later module: it registers how. */
@Injectable()
export class DesignKindsRegistry {
  private reader: DesignKindsReader | null = null;

  register(reader: DesignKindsReader): void {
    this.reader = reader;
  }

  read(...workspace: Parameters<DesignKindsReader>): Promise<DesignKinds> {
    if (!this.reader) throw new Error('no module has registered how the kinds of designs are read');
    return this.reader(...workspace);
  }
}
