import { Injectable } from '@nestjs/common';
import { Access } from '../../core/authorization/access.service.js';
import { assertInstallationAdmin, assertScope } from '../../core/authorization/permission-errors.js';
import type { Actor } from '../../core/access/actor.js';
import { runAsSystem } from '../../core/database/row-security.js';
import type { ListQuery } from '../../core/listing/list-query.js';
import type { Page } from '../../core/listing/page.js';
import type { NdjsonDownload } from '../../core/rest/ndjson-download.js';
import { Conflict } from '../../core/errors/app-error.js';
import { MembersStore } from '../../organizations/memberships/members.store.js';
import { OrganizationsService } from '../../organizations/organizations.service.js';
import { AuditEntriesStore } from './audit-entries.store.js';
import { type AuditCheckpoint, type AuditEntry, INSTALLATION_CHAIN } from './audit.entity.js';
import type { AuditFilter, AuditListQuery } from './audit.inputs.js';
import type { PersonalIdentifiers } from './personal-identifiers.store.js';
import { auditPolicy, installationAuditPolicy } from './audit.policy.js';
import { AuditReportsService } from './reports/audit-reports.service.js';
import type { VerificationOptions, VerificationResult } from './reports/verification.service.js';

export type AuditOperation = keyof typeof auditPolicy;

/** Authorizes access to the audit: organization admins to the chain of their organization, installation administrators to that of the installation. */
@Injectable()
export class AuditService {
  constructor(
    private readonly entries: AuditEntriesStore,
    private readonly reports: AuditReportsService,
    private readonly organizations: OrganizationsService,
    private readonly members: MembersStore,
    private readonly access: Access,
  ) {}

  /** @throws NotFound when the actor may not see the organization, Forbidden when their role is insufficient */
  async authorize(actor: Actor, chain: string, verb: AuditOperation): Promise<void> {
    if (chain === INSTALLATION_CHAIN) {
      assertScope(actor, installationAuditPolicy[verb]);
      return assertInstallationAdmin(actor, installationAuditPolicy[verb]);
    }
    const { id } = await this.organizations.get(actor, chain);
    await this.access.authorize(actor, auditPolicy[verb], { type: 'organization', id, organizationId: id });
  }

  async list(actor: Actor, chain: string, query: AuditListQuery): Promise<Page<AuditEntry>> {
    await this.authorize(actor, chain, 'read');
    return runAsSystem('reading the audit', async () => {
      await this.reports.sealCommitted();
      return this.entries.page(chain, query);
    });
  }

  /** Signs the head first, so that the list contains the current one. */
  async listCheckpoints(
    actor: Actor,
    chain: string,
    query: ListQuery,
  ): Promise<{ page: Page<AuditCheckpoint>; keys: Map<string, string> }> {
    await this.authorize(actor, chain, 'read');
    return runAsSystem('reading the audit', () => this.reports.listCheckpoints(chain, query));
  }

  async verify(actor: Actor, chain: string, options: VerificationOptions): Promise<VerificationResult> {
    await this.authorize(actor, chain, 'read');
    return runAsSystem('verifying the audit', () => this.reports.verify(chain, options));
  }

  async export(actor: Actor, chain: string, filter: AuditFilter): Promise<NdjsonDownload> {
    const authorize = (): Promise<void> => this.authorize(actor, chain, 'read');
    await authorize();
    return runAsSystem('export of the audit', () => this.reports.export(chain, filter, authorize));
  }

  /** Requires the right to erase, and that the person is somebody else and no longer a member of the organization. @throws Conflict */
  async assertErasable(actor: Actor, chain: string, userId: string): Promise<void> {
    await this.authorize(actor, chain, 'erase');
    if (userId === actor.userId)
      throw new Conflict('OWN_DATA', 'nobody erases their own part in the audit', {
        remedy: 'Another owner can erase it once you have left the organization.',
      });
    const member = await runAsSystem('erasure of personal data', () => this.members.find(chain, userId));
    if (member)
      throw new Conflict('STILL_MEMBER', 'the person is still a member of the organization', {
        remedy: 'Remove them first: DELETE /api/identity/orgs/{orgId}/users/{userId}.',
      });
  }

  /**
   * @param person by what entries name the user; found by default
   * @returns the number of entries changed
   */
  async erase(actor: Actor, chain: string, userId: string, person?: PersonalIdentifiers): Promise<number> {
    await this.assertErasable(actor, chain, userId);
    return runAsSystem('erasure of personal data', () => this.reports.erase(chain, userId, person));
  }
}
