import { Controller, Get, Query, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiProduces, ApiTags } from '@nestjs/swagger';
import { AuditedCall } from '../../core/authorization/audited-call.js';
import { ConnectionsService } from '../../connections/connections.service.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import type { Actor } from '../../core/access/actor.js';
import { IdParam } from '../../core/rest/id.pipe.js';
import { RestOperation } from '../../core/rest/openapi/rest-operation.decorator.js';
import { RequiresRight } from '../../core/rest/rights/rights.decorators.js';
import { clusterPolicy } from '../cluster.policy.js';
import { AccessManifestsService } from './access-manifests.service.js';
import { ManifestQuery, RightsQuery } from './rights.inputs.js';
import { RightsService } from './rights.service.js';
import { ConnectionRightsView } from './rights.view.js';

@ApiTags('connections')
@Controller('integrations/connections/:id')
export class ConnectionRightsController {
  constructor(
    private readonly rights: RightsService,
    private readonly manifests: AccessManifestsService,
  ) {}

  @AuditedCall()
  @RestOperation(
    'getConnectionRights',
    'Read the rights of a connection',
    'Checks on the cluster which of the rights that this server needs the credential has, and lists the consequence of each missing right.',
    { errors: [409, 502, 504] },
  )
  @Get('rights')
  @RequiresRight(clusterPolicy.readRights, ConnectionsService)
  @ApiOkResponse({ type: ConnectionRightsView })
  review(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @Query() query: RightsQuery,
  ): Promise<ConnectionRightsView> {
    return this.rights.review(actor, id, query);
  }

  @AuditedCall()
  @RestOperation(
    'getConnectionManifest',
    'Make a service account for a connection',
    'Returns a service account with just the rights that a purpose needs, as YAML for kubectl; its comments say what it gives and why, and how to make the kubeconfig. The kinds that the cluster serves are asked for; where it does not answer, those of Kubernetes are named.',
    { errors: [409] },
  )
  @Get('manifest')
  @RequiresRight(clusterPolicy.readRights, ConnectionsService)
  @ApiProduces('application/yaml')
  @ApiOkResponse({ schema: { type: 'string', format: 'binary' } })
  async getManifest(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @Query() query: ManifestQuery,
  ): Promise<StreamableFile> {
    const { name, text } = await this.manifests.build(actor, id, query);
    return new StreamableFile(Buffer.from(text), {
      type: 'application/yaml',
      disposition: `attachment; filename="${name}.yaml"`,
    });
  }
}
