import { Injectable } from '@nestjs/common';
import type { Actor } from '../core/access/actor.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import type { Fault } from '../core/errors/app-error.js';
import { EventBus } from '../core/events/event-bus.js';
import type { PackedDesign } from '../formats/design-file/packed-design.js';
import type { Workspace } from '../workspaces/workspace.entity.js';
import type { Visibility } from '../workspaces/workspace-owned/workspace-owned.entity.js';
import { DesignCheckRegistry } from './contents/design-checks.registry.js';
import { DesignContentsStore } from './contents/design-contents.store.js';
import { firstVersion } from './contents/version-number.js';
import { type CloneOrigin, Design } from './design.entity.js';
import type { DesignCloned, DesignCreated, DesignImported } from './design.events.js';
import type { DesignWriteResult } from './design.presenter.js';
import { DesignQuotaService } from './design-quota.service.js';
import type { ParsedDesignSource } from './design-source.reader.js';
import { DesignsStore } from './designs.store.js';

/** The fields of a new design apart from its content. */
interface InitialProperties {
  name?: string;
  visibility?: Visibility;
  clonedFrom?: CloneOrigin | null;
}

/** A design that is not stored. */
type ParsedDesign = DesignWriteResult & { file: PackedDesign };

/** Creates designs from parsed sources, with their first versions. */
@Injectable()
export class DesignInsertionService {
  constructor(
    private readonly store: DesignsStore,
    private readonly contents: DesignContentsStore,
    private readonly checks: DesignCheckRegistry,
    private readonly quota: DesignQuotaService,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  /**
   * Creates a design from a source. The caller has checked the right to create designs in the workspace.
   * @param save false returns the design without storing it
   * @param Event the event to publish
   */
  async insert(
    actor: Actor,
    workspace: Workspace,
    source: ParsedDesignSource,
    properties: InitialProperties,
    save: boolean,
    Event: typeof DesignCreated | typeof DesignImported | typeof DesignCloned,
  ): Promise<DesignWriteResult> {
    const parsed = await this.parse(actor, workspace, source, properties);
    if (!save) return parsed;
    const write = await this.prepare(actor, parsed, source, Event);
    return this.unit.run(write);
  }

  /** The design as it would be created. */
  async parse(
    actor: Actor,
    workspace: Workspace,
    source: ParsedDesignSource,
    properties: InitialProperties,
  ): Promise<ParsedDesign> {
    const { imported } = source;
    const unsupported = await this.checks.findUnsupportedReason(imported.design);
    const design = createDesign(actor, workspace, source, { ...properties, unsupported });
    const namesakes = await this.store.findNamesakes(workspace.id, design.name);
    const warnings = [...imported.warnings, ...namesakeWarnings(design.name, namesakes)];
    const { id, name, version } = design;
    return { design, warnings, outcome: 'parsed', file: imported.design.withMembers({ id, name, version }) };
  }

  /** Does what takes long, and returns what stores the design; for a unit of work. */
  async prepare(
    actor: Actor,
    { design, warnings, file }: ParsedDesign,
    source: ParsedDesignSource,
    Event: typeof DesignCreated | typeof DesignImported | typeof DesignCloned,
  ): Promise<() => Promise<DesignWriteResult>> {
    const by = { userId: actor.userId ?? '', message: '' };
    const write = await this.contents.prepareInsert(design, file, source.file, by);
    return async () => {
      await this.quota.lockForOneMore(actor, design.workspaceId);
      await this.store.insert(design);
      await write();
      await this.events.publish(
        new Event(actor, design, { source_type: design.sourceType, components: file.outline.components }),
      );
      return { design, warnings, outcome: 'created', file };
    };
  }
}

/** Names need not be unique, but a second design with the same name is often meant as a new version of the first. */
function namesakeWarnings(name: string, ids: readonly string[]): Fault[] {
  if (ids.length === 0) return [];
  const detail = `the workspace has another design called ${name}: ${ids.join(', ')}`;
  return [{ pointer: '/name', detail, remedy: 'To make an import the next version of a design, send its id as id.' }];
}

function createDesign(
  actor: Actor,
  workspace: Workspace,
  { imported, location }: ParsedDesignSource,
  { name, visibility, clonedFrom = null, unsupported }: InitialProperties & { unsupported: string },
): Design {
  return Object.assign(new Design(), {
    organizationId: workspace.organizationId,
    workspaceId: workspace.id,
    name: name ?? imported.name,
    userId: actor.userId,
    visibility: visibility ?? 'workspace',
    sourceType: imported.sourceType,
    versionNumber: 1,
    version: firstVersion(imported.design.version),
    location,
    clonedFrom,
    catalogData: {},
    unsupported,
    deploymentCount: 0,
    cloneCount: 0,
    downloadCount: 0,
  });
}
