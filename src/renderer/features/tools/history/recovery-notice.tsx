import type { Recovery } from '@shared/contract'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import i18next from 'i18next'
import { X } from 'lucide-react'
import { formatList } from '../../../format'
import { call, useCall } from '../../../ipc'
import { Callout } from '../../../ui/callout'
import { Code } from '../../../ui/code'
import { IconButton } from '../../../ui/icon-button'

const t = i18next.getFixedT(null, ['history', 'common'])

function Paths({ intro, paths }: { readonly intro: string; readonly paths: readonly string[] }) {
  if (paths.length === 0) return null
  return (
    <>
      <p>{intro}</p>
      <ul className="mt-1 grid gap-0.5">
        {paths.map((path) => (
          <li key={path}>
            <Code wrap>{path}</Code>
          </li>
        ))}
      </ul>
    </>
  )
}

/** Notice that an interrupted write was rolled back, with files that could not be restored. */
export function RecoveryNotice() {
  const queries = useQueryClient()
  // Main returns the result only once, so it is cached until dismissed. After a failure, the history has it.
  const { data: recovery } = useQuery({
    queryKey: ['recovery'],
    queryFn: (): Promise<Recovery | null> => call('tools.recovery', {}),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  })
  const { data: tools = [] } = useCall('tools.list', {}, { enabled: Boolean(recovery?.undone.length) })
  if (!recovery) return null
  const dismiss = (): void => void queries.setQueryData(['recovery'], null)
  const { undone, left, waiting = [] } = recovery
  if (undone.length + left.length + waiting.length === 0) return null
  const names = new Set(undone.map(({ toolId }) => tools.find(({ id }) => id === toolId)?.name ?? toolId))
  return (
    <div className="flex-none px-5 pt-3">
      <Callout
        tone={left.length + waiting.length > 0 ? 'warning' : 'info'}
        title={t('history:recovery.title')}
        actions={[
          { label: t('history:recovery.look'), to: '/history', onClick: dismiss },
          <IconButton key="iconButton" icon={X} size="sm" label={t('common:close')} onClick={dismiss} />,
        ]}
      >
        {undone.length > 0 ? <p>{t('history:recovery.undone', { tools: formatList(names) })}</p> : null}
        <Paths intro={t('history:recovery.left')} paths={left} />
        <Paths intro={t('history:recovery.waiting')} paths={waiting} />
      </Callout>
    </div>
  )
}
