import { Body, Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiBody, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { CurrentActor } from '../core/access/access.decorators.js';
import { Actor } from '../core/access/actor.js';
import { AuditedCall } from '../core/authorization/audited-call.js';
import { Env } from '../core/config/env.js';
import { Forbidden, InvalidRequest } from '../core/errors/app-error.js';
import { PackedJson } from '../core/json/packed-json.js';
import { NoStore } from '../core/rest/no-store.decorator.js';
import { RestOperation } from '../core/rest/openapi/rest-operation.decorator.js';
import { ownOrigin } from '../core/rest/same-origin.js';
import { McpService, PROTOCOL_VERSIONS } from './mcp.service.js';
import { RpcRequestInput } from './rpc-message.inputs.js';
import { RpcResponseView } from './rpc-message.view.js';

/** The Model Context Protocol over streamable HTTP, without sessions: each request is one message. */
@ApiTags('agents')
@NoStore()
@Controller('mcp')
export class McpController {
  constructor(
    private readonly mcp: McpService,
    private readonly env: Env,
  ) {}

  @RestOperation(
    'callAgentTools',
    'Call tools for agents',
    'One message of the Model Context Protocol (JSON-RPC 2.0) in each request. A notification has no response body (202).',
    { errors: [403] },
  )
  @Post()
  @HttpCode(200)
  @AuditedCall()
  @ApiBody({ type: RpcRequestInput })
  @ApiOkResponse({ type: RpcResponseView })
  @ApiAcceptedResponse({ description: 'To a notification: without a body.' })
  async call(
    @CurrentActor() actor: Actor,
    @Req() request: Request,
    @Body() message: unknown,
    @Res({ passthrough: true }) response: Response,
  ): Promise<object | undefined> {
    this.assertKnownOrigin(request);
    assertVersion(request.headers['mcp-protocol-version']);
    const answer = await this.mcp.respond(actor, unpack(message));
    if (answer === null) {
      response.status(202);
      return undefined;
    }
    return answer;
  }

  /** A page of another site could use the address of a server that only this machine or network reaches. @throws Forbidden */
  private assertKnownOrigin(request: Request): void {
    const { origin } = request.headers;
    if (origin === undefined || origin === ownOrigin(request, this.env)) return;
    if (this.env.CORS_ORIGINS.includes(origin)) return;
    throw new Forbidden('pages of this origin may not call the tools', {
      remedy: 'The operator can add the origin to CORS_ORIGINS.',
    });
  }
}

/** @throws InvalidRequest for a version of the protocol that is not spoken */
function assertVersion(version: string | string[] | undefined): void {
  if (version === undefined || PROTOCOL_VERSIONS.some((each) => each === version)) return;
  throw InvalidRequest.forField(
    'MCP-Protocol-Version',
    `must be one of ${PROTOCOL_VERSIONS.join(', ')}`,
    'Send the version that the response to initialize has.',
  );
}

/** Members that are too large to be read on this thread belong to no message. @throws InvalidRequest */
function unpack(message: unknown): unknown {
  const holdsPacked = (value: unknown, depth: number): boolean =>
    value instanceof PackedJson ||
    (depth > 0 &&
      typeof value === 'object' &&
      value !== null &&
      Object.values(value).some((each) => holdsPacked(each, depth - 1)));
  if (!holdsPacked(message, 3)) return message;
  throw InvalidRequest.forField('/params', 'is too large', 'Send shorter arguments.');
}
