import { z } from 'zod'
import { row } from './parts'

const Named = z.looseObject({ name: z.string(), ...row }).readonly()

/** An agent identity. */
export const AgentIdentity = Named
export type AgentIdentity = z.infer<typeof AgentIdentity>

/** A static API-key provider; `apiKey` is what the caller entrusted to it and is given out by its own operation only. */
export const ApiKeyProvider = z.looseObject({ name: z.string(), apiKey: z.string(), ...row }).readonly()
export type ApiKeyProvider = z.infer<typeof ApiKeyProvider>

/** A delegated API-key provider; its keys are derived when asked for. */
export const DelegatedProvider = Named
export type DelegatedProvider = z.infer<typeof DelegatedProvider>

/** An OAuth2 provider; `clientSecret` is never given back, `scopes` is what its tokens open. */
export const OAuth2Provider = z
  .looseObject({
    name: z.string(),
    clientSecret: z.string(),
    scopes: z.array(z.string()).readonly().optional(),
    ...row,
  })
  .readonly()
export type OAuth2Provider = z.infer<typeof OAuth2Provider>

/** The access-control service's part of the world. Names are unique within each list. */
export const IdentityState = z
  .strictObject({
    agentIdentities: z.array(AgentIdentity).readonly(),
    apiKeyProviders: z.array(ApiKeyProvider).readonly(),
    delegatedProviders: z.array(DelegatedProvider).readonly(),
    oauth2Providers: z.array(OAuth2Provider).readonly(),
  })
  .readonly()
export type IdentityState = z.infer<typeof IdentityState>
