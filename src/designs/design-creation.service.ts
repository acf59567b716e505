import { Injectable } from '@nestjs/common';
import type { Actor } from '../core/access/actor.js';
import type { FormFile } from '../core/rest/form-uploads.service.js';
import type { Precondition } from '../core/rest/precondition.js';
import type { Workspace } from '../workspaces/workspace.entity.js';
import { WorkspacePlacementService } from '../workspaces/workspace-owned/workspace-placement.service.js';
import { DesignCreated, DesignImported } from './design.events.js';
import { type DesignImport, isSaved, type NewDesign } from './design.inputs.js';
import { designPolicy } from './design.policy.js';
import type { DesignWriteResult } from './design.presenter.js';
import { DesignChangesService } from './design-changes.service.js';
import { DesignInsertionService } from './design-insertion.service.js';
import { DesignsService } from './designs.service.js';
import { DesignSourceReader } from './design-source.reader.js';
import { requirePatternName } from './pattern-data.js';

/** Creates designs, or next versions of designs, from requests. */
@Injectable()
export class DesignCreationService {
  constructor(
    private readonly designs: DesignsService,
    private readonly placement: WorkspacePlacementService,
    private readonly sources: DesignSourceReader,
    private readonly insertion: DesignInsertionService,
    private readonly changes: DesignChangesService,
  ) {}

  /** The workspace in which an import creates a design, or that of the design that it updates. @throws the errors of the import */
  async findPlace(actor: Actor, input: DesignImport): Promise<{ workspaceId: string; organizationId: string }> {
    if (input.id) return this.designs.getAllowed(actor, input.id, 'update');
    const { id, organizationId } = await this.placement.resolve(actor, input, designPolicy.create);
    return { workspaceId: id, organizationId };
  }

  async create(actor: Actor, input: NewDesign): Promise<DesignWriteResult> {
    const name = requirePatternName(input.name, input.pattern_data);
    const save = input.save ?? true;
    const { workspace, isProposed } = await this.findWorkspace(actor, input, save);
    const source = await this.sources.fromPatternData(input.pattern_data, name);
    const written = await this.insertion.insert(actor, workspace, source, { ...input, name }, save, DesignCreated);
    return { ...written, isProposed };
  }

  /** A new design, or the next version of the design that the input names. */
  async import(actor: Actor, input: DesignImport, files: FormFile[], match: Precondition): Promise<DesignWriteResult> {
    if (input.id) return this.changes.renew(actor, input.id, input, files, match);
    const save = isSaved(input);
    const { workspace, isProposed } = await this.findWorkspace(actor, input, save);
    const source = await this.sources.fromImport(input, files);
    return { ...(await this.insertion.insert(actor, workspace, source, input, save, DesignImported)), isProposed };
  }

  /** What is only parsed creates no default workspace. */
  private async findWorkspace(
    actor: Actor,
    input: DesignImport | NewDesign,
    save: boolean,
  ): Promise<{ workspace: Workspace; isProposed: boolean }> {
    if (!save) return this.placement.propose(actor, input, designPolicy.create);
    return { workspace: await this.placement.resolve(actor, input, designPolicy.create), isProposed: false };
  }
}
