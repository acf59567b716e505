import { Injectable } from '@nestjs/common';
import { Vault } from '../../core/crypto/vault.service.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { PerformanceProfile } from './profile.entity.js';
import type { ProfileWithBody } from './profile.view.js';
import { ProfilesStore } from './profiles.store.js';
import type { RequestContent } from './request-content.js';

/** What the requests of profiles carry: sealed in the table, opened for runs, and its bodies for readers. */
@Injectable()
export class ProfileContentsService {
  constructor(
    private readonly vault: Vault,
    private readonly profiles: ProfilesStore,
    private readonly unit: UnitOfWork,
  ) {}

  seal({ id, organizationId }: PerformanceProfile, content: RequestContent): Promise<Buffer> {
    return this.vault.seal(organizationId, JSON.stringify(content), sealContext(id));
  }

  async open({ id }: PerformanceProfile): Promise<RequestContent> {
    const sealed = (await this.readSealed([id])).get(id);
    if (!sealed) throw new Error(`profile ${id} has no content`);
    return this.parse(id, sealed);
  }

  /** The bodies of profiles that their reader was found to see, by id. */
  async readBodies(ids: readonly string[]): Promise<Map<string, string>> {
    const sealed = await this.readSealed(ids);
    const open = async ([id, bytes]: [string, Buffer]) => [id, (await this.parse(id, bytes)).body] as const;
    return new Map(await Promise.all([...sealed].map(open)));
  }

  async withBody(profile: PerformanceProfile): Promise<ProfileWithBody> {
    return { profile, body: (await this.open(profile)).body };
  }

  private async parse(id: string, sealed: Buffer): Promise<RequestContent> {
    return JSON.parse((await this.vault.open(sealed, sealContext(id))).toString()) as RequestContent;
  }

  /** Data keys are of no user: they are read as the system. */
  private readSealed(ids: readonly string[]): Promise<Map<string, Buffer>> {
    return this.unit.runAsSystem('the content of performance profiles', () => this.profiles.findContents(ids));
  }
}

/** What the sealed value is bound to; the rotation of keys knows it as well. */
const sealContext = (id: string): string => `performance profile ${id}`;
