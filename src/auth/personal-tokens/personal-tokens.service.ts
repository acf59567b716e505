import { Injectable } from '@nestjs/common';
import { assertScope } from '../../core/authorization/permission-errors.js';
import type { Actor } from '../../core/access/actor.js';
import type { Operation } from '../../core/access/policy.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { NotFound } from '../../core/errors/app-error.js';
import type { ListQuery } from '../../core/listing/list-query.js';
import type { Page } from '../../core/listing/page.js';
import type { Precondition } from '../../core/rest/precondition.js';
import type { RecordAuthorizer } from '../../core/rest/rights/rights.decorators.js';
import { ServiceAccountsService } from '../../organizations/service-accounts/service-accounts.service.js';
import type { PersonalToken } from './personal-token.entity.js';
import type { NewToken } from './personal-token.inputs.js';
import { tokenPolicy } from './personal-token.policy.js';
import { PersonalTokensStore } from './personal-tokens.store.js';
import { TokenIssuanceService, type TokenOwner } from './token-issuance.service.js';

/** The caller's own tokens. */
@Injectable()
export class PersonalTokensService implements RecordAuthorizer {
  constructor(
    private readonly tokens: PersonalTokensStore,
    private readonly mint: TokenIssuanceService,
  ) {}

  async list(actor: Actor, query: ListQuery): Promise<Page<PersonalToken>> {
    assertScope(actor, tokenPolicy.read);
    return this.tokens.page(ownerFromActor(actor).userId, query);
  }

  async get(actor: Actor, id: string): Promise<PersonalToken> {
    assertScope(actor, tokenPolicy.read);
    const token = await this.tokens.find(ownerFromActor(actor).userId, id);
    if (!token) throw new NotFound('token', id);
    return token;
  }

  /** Actors see only their own tokens. */
  async authorize(actor: Actor, _operation: Operation, id: string): Promise<void> {
    await this.get(actor, id);
  }

  async create(actor: Actor, input: NewToken): Promise<{ record: PersonalToken; secret: string }> {
    assertScope(actor, tokenPolicy.create);
    return this.mint.issue(actor, ownerFromActor(actor), input);
  }

  async revoke(actor: Actor, id: string, match: Precondition): Promise<PersonalToken> {
    assertScope(actor, tokenPolicy.revoke);
    return this.mint.revoke(actor, ownerFromActor(actor), id, match);
  }
}

/** The tokens of service accounts, for the admins of their organization. */
@Injectable()
export class ServiceTokensService {
  constructor(
    private readonly tokens: PersonalTokensStore,
    private readonly mint: TokenIssuanceService,
    private readonly accounts: ServiceAccountsService,
    private readonly unit: UnitOfWork,
  ) {}

  async list(actor: Actor, organizationId: string, accountId: string, query: ListQuery): Promise<Page<PersonalToken>> {
    await this.accounts.getManaged(actor, organizationId, accountId);
    return this.unit.runAsSystem('tokens of a service account', () => this.tokens.page(accountId, query));
  }

  create(actor: Actor, organizationId: string, accountId: string, input: NewToken) {
    return this.unit.run(async () => {
      await this.accounts.getForUpdate(actor, organizationId, accountId);
      return this.mint.issue(actor, { userId: accountId, organizationId }, input);
    });
  }

  revoke(
    actor: Actor,
    organizationId: string,
    accountId: string,
    id: string,
    match: Precondition,
  ): Promise<PersonalToken> {
    return this.unit.run(async () => {
      await this.accounts.getForUpdate(actor, organizationId, accountId);
      return this.mint.revoke(actor, { userId: accountId, organizationId }, id, match);
    });
  }
}

function ownerFromActor(actor: Actor): TokenOwner {
  if (!actor.userId) throw new Error('the system has no tokens');
  return { userId: actor.userId, organizationId: null };
}
