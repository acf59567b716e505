import { DirectiveLocation, GraphQLDirective } from 'graphql';

/** Marks fields that work with clusters; `src/kubernetes/middleware` implements it. */
export const KUBERNETES_MIDDLEWARE = new GraphQLDirective({
  name: 'KubernetesMiddleware',
  description:
    'The field works with clusters: their connections are looked up, authorized and checked to respond before it runs. A connection that is missing or of others is NOT_FOUND, a cluster that does not answer CLUSTER_UNREACHABLE.',
  locations: [DirectiveLocation.FIELD_DEFINITION],
});

/** The custom directives of the schema. */
export const SCHEMA_DIRECTIVES = [KUBERNETES_MIDDLEWARE];
