import type { Site, ToolView } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { useCallback } from 'react'
import { useAction } from '../../ipc'
import { readSite, setupKey, siteText, toolAt, userSite } from './sites'
import { useToolsStore } from './tools-store'

/** Makes one real small request as the tool would at a site, and keeps what came of it. */
export function useVerify({ id, site = userSite }: Pick<ToolView, 'id'> & { readonly site?: Site }) {
  const key = setupKey(id, site)
  const place = siteText(site)
  const check = useToolsStore((store) => store.verifications[key])
  const keep = useToolsStore((store) => store.setVerification)
  const { mutate, isPending, error } = useAction('tools.verify', {
    onMutate: () => keep(key, undefined),
    onSuccess: (view) => keep(key, view),
  })
  const verify = useCallback(() => mutate(toolAt(id, readSite(place))), [mutate, id, place])
  const failure: Failure | undefined = error?.failure
  return { check, isPending, failure, verify }
}

export type Verifying = ReturnType<typeof useVerify>
