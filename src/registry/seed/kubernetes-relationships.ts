import type { JsonObject } from '../../core/json/json.js';
import { type RelationshipDefinition } from '../../formats/definitions/definitions.js';
import autoscaling from './relationships/autoscaling.json' with { type: 'json' };
import certificates from './relationships/certificates.json' with { type: 'json' };
import configuration from './relationships/configuration.json' with { type: 'json' };
import extensions from './relationships/extensions.json' with { type: 'json' };
import gatewayApi from './relationships/gateway-api.json' with { type: 'json' };
import identity from './relationships/identity.json' with { type: 'json' };
import ingresses from './relationships/ingresses.json' with { type: 'json' };
import istio from './relationships/istio.json' with { type: 'json' };
import monitoring from './relationships/monitoring.json' with { type: 'json' };
import networkPolicies from './relationships/network-policies.json' with { type: 'json' };
import ownership from './relationships/ownership.json' with { type: 'json' };
import scheduling from './relationships/scheduling.json' with { type: 'json' };
import services from './relationships/services.json' with { type: 'json' };
import storage from './relationships/storage.json' with { type: 'json' };

/** The content of an adjacent file; a test validates the files. */
interface StatedRelationship {
  kind: string;
  type: string;
  subType: string;
  metadata: JsonObject;
  selectors: JsonObject[];
}

const RELATIONSHIP_FILES: readonly unknown[][] = [
  autoscaling,
  certificates,
  configuration,
  extensions,
  gatewayApi,
  identity,
  ingresses,
  istio,
  monitoring,
  networkPolicies,
  ownership,
  scheduling,
  services,
  storage,
];

/** The bundled relationships: those of Kubernetes itself, and of extensions that many clusters have. The adjacent files are the data. */
export function loadKubernetesRelationships(): RelationshipDefinition[] {
  return (structuredClone(RELATIONSHIP_FILES) as StatedRelationship[][]).flat().map((stated) => ({
    ...stated,
    version: 'v1.0.0',
    rest: {},
  }));
}
