import { Injectable } from '@nestjs/common';
import { assertScope } from '../core/authorization/permission-errors.js';
import type { Actor } from '../core/access/actor.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { DesignCloned } from './design.events.js';
import { type CloneInput, copyName } from '../workspaces/workspace-owned/clone.input.js';
import { WorkspacePlacementService } from '../workspaces/workspace-owned/workspace-placement.service.js';
import { designPolicy } from './design.policy.js';
import type { DesignWriteResult } from './design.presenter.js';
import { DesignInsertionService } from './design-insertion.service.js';
import { DesignsService } from './designs.service.js';
import { DesignsStore } from './designs.store.js';
import { DesignContentsStore } from './contents/design-contents.store.js';

/** Clones designs, including those of the catalog. */
@Injectable()
export class DesignClonesService {
  constructor(
    private readonly designs: DesignsService,
    private readonly insertion: DesignInsertionService,
    private readonly placement: WorkspacePlacementService,
    private readonly contents: DesignContentsStore,
    private readonly store: DesignsStore,
    private readonly unit: UnitOfWork,
  ) {}

  /** Copies the version that the actor sees, with its source; the clone belongs to the actor, and references its origin. */
  async clone(actor: Actor, id: string, input: CloneInput): Promise<DesignWriteResult> {
    assertScope(actor, designPolicy.clone);
    const original = await this.designs.get(actor, id);
    const workspace = await this.placement.resolve(actor, input, designPolicy.create);
    const { name, version, versionNumber, sourceType } = original;
    const design = await this.contents.readDesign(original);
    const source = {
      file: await this.contents.readSourceFile(original),
      location: { type: 'clone', host: '', path: `/api/pattern/${id}`, branch: version } as const,
      imported: { name: copyName(name), design: design.withMembers({ version }), sourceType, warnings: [] },
    };
    const clonedFrom = { id, name, version, version_number: versionNumber };
    const beginning = { name: input.name, clonedFrom };
    const written = await this.insertion.insert(actor, workspace, source, beginning, true, DesignCloned);
    await this.unit.runAsSystem('counting a clone', () => this.store.increment(id, 'clone_count'));
    return written;
  }
}
