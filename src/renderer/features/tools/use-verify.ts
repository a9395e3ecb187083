import type { ToolView } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { useCallback } from 'react'
import { useAction } from '../../ipc'
import { useToolsStore } from './tools-store'

/** Makes one real small request as the tool would, and keeps what came of it. */
export function useVerify(tool: Pick<ToolView, 'id'>) {
  const check = useToolsStore((store) => store.verifications[tool.id])
  const keep = useToolsStore((store) => store.setVerification)
  const { mutate, isPending, error } = useAction('tools.verify', {
    onMutate: () => keep(tool.id, undefined),
    onSuccess: (view) => keep(tool.id, view),
  })
  const verify = useCallback(() => mutate({ toolId: tool.id }), [mutate, tool.id])
  const failure: Failure | undefined = error?.failure
  return { check, isPending, failure, verify }
}

export type Verifying = ReturnType<typeof useVerify>
