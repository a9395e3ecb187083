import { z } from 'zod'
import { limits } from '../limits'
import { CleanName, EmptyInputSchema, ItemId, ModelCode, method } from './common'
import { BulkPreview, Delivery, Route, Site, Slots } from './tools'

/** Profile name, also the argument of `companion use`. */
export const ProfileName = CleanName(limits.nameCharacters)

export const ProfileEntry = z.strictObject({
  toolId: z.string(),
  site: Site,
  planId: z.string(),
  keyId: z.string().optional(),
  modelCode: ModelCode,
  slots: Slots,
  delivery: Delivery,
  /** Route of the tool. Default: gateway. */
  route: Route.optional(),
})
export type ProfileEntry = z.infer<typeof ProfileEntry>

/** A named set of tool setups that are switched together. */
export const ProfileView = z.strictObject({
  id: z.string(),
  name: z.string(),
  entries: z.array(z.strictObject({ ...ProfileEntry.shape, toolName: z.string(), planName: z.string().optional() })),
  /** Whether all tools of the profile are configured as it describes. */
  isActive: z.boolean(),
  /** Plans or keys of the profile that this computer lacks. The user must choose others before using the profile. */
  missing: z.array(z.string()),
})
export type ProfileView = z.infer<typeof ProfileView>

/** A profile file, whose plans must be matched to local ones. */
export const ProfileFile = z.strictObject({
  name: z.string(),
  plans: z.array(
    z.strictObject({
      /** Id of the plan within the file. */
      ref: z.string(),
      name: z.string(),
      gatewayUrl: z.string(),
      models: z.array(z.string()),
      contextTokens: z.number(),
      /** Id of the plan on this computer with the profile's gateway address. */
      matchingPlanId: z.string().optional(),
    }),
  ),
  tools: z.array(
    z.strictObject({ toolId: z.string(), toolName: z.string(), planRef: z.string(), modelCode: z.string() }),
  ),
  /** Differences after an import: unknown tools are skipped, and unsupported key deliveries are replaced by another. */
  notes: z.array(z.strictObject({ toolId: z.string(), what: z.enum(['toolUnknown', 'deliveryUnknown']) })),
})
export type ProfileFile = z.infer<typeof ProfileFile>

export const profiles = {
  'profiles.list': method(EmptyInputSchema, z.array(ProfileView)),
  /** Saves the current setups as a profile. Fails with `profile.nameTaken`. */
  'profiles.saveCurrent': method(
    z.strictObject({ name: ProfileName, toolIds: z.array(z.string()).optional() }),
    ProfileView,
  ),
  'profiles.update': method(
    z.strictObject({ id: z.string(), name: ProfileName.optional(), entries: z.array(ProfileEntry).optional() }),
    ProfileView,
  ),
  'profiles.remove': method(ItemId, EmptyInputSchema),
  /** Restores a profile removed since the app started. */
  'profiles.restore': method(ItemId, ProfileView),
  /** Previews a switch, which `tools.applyMany` carries out. */
  'profiles.previewUse': method(ItemId, BulkPreview),
  /** Exports a profile without secrets. `saved` is false when cancelled. */
  'profiles.export': method(ItemId, z.strictObject({ saved: z.boolean(), path: z.string().optional() })),
  /** Asks for a profile file and parses it without saving. */
  'profiles.readFile': method(EmptyInputSchema, z.strictObject({ importId: z.string(), file: ProfileFile }).partial()),
  /** Imports a parsed profile with each of its plans matched to a local one. */
  'profiles.import': method(
    z.strictObject({ importId: z.string(), name: ProfileName, plans: z.record(z.string(), z.string()) }),
    ProfileView,
  ),
}
