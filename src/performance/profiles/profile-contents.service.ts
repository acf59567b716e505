import { Injectable } from '@nestjs/common';
import { Vault } from '../../core/crypto/vault.service.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { PerformanceProfile } from './profile.entity.js';
import type { ProfileWithBody } from './profile.view.js';
import { ProfilesStore, type SealedContent } from './profiles.store.js';
import type { RequestContent } from './request-content.js';

/** The request contents of profiles: encrypted in the database, decrypted for runs; readers see only the bodies. */
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

  async open(profile: PerformanceProfile): Promise<RequestContent> {
    return (await this.openWithRevision(profile)).content;
  }

  /** Returns the content with the revision of the profile that it is of, which may be later than the given one. */
  async openWithRevision({ id }: PerformanceProfile): Promise<{ content: RequestContent; revision: number }> {
    const sealed = (await this.readSealed([id])).get(id);
    if (!sealed) throw new Error(`profile ${id} has no content`);
    return { content: await this.parse(id, sealed.content), revision: sealed.revision };
  }

  /** Returns the bodies of profiles by id. The caller must have checked the right to read them. */
  async readBodies(ids: readonly string[]): Promise<Map<string, string>> {
    const sealed = await this.readSealed(ids);
    const open = async ([id, { content }]: [string, SealedContent]) =>
      [id, (await this.parse(id, content)).body] as const;
    return new Map(await Promise.all([...sealed].map(open)));
  }

  async withBody(profile: PerformanceProfile): Promise<ProfileWithBody> {
    return { profile, body: (await this.open(profile)).body };
  }

  private async parse(id: string, sealed: Buffer): Promise<RequestContent> {
    return JSON.parse((await this.vault.open(sealed, sealContext(id))).toString()) as RequestContent;
  }

  /** Runs as the system, because users may not read data keys. */
  private readSealed(ids: readonly string[]): Promise<Map<string, SealedContent>> {
    return this.unit.runAsSystem('the content of performance profiles', () => this.profiles.findContents(ids));
  }
}

/** The context of the encryption; the rotation of keys uses the same. */
const sealContext = (id: string): string => `performance profile ${id}`;
