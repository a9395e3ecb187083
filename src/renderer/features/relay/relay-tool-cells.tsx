import type { RelayTool, RelayView, Route } from '@shared/contract'
import { Copy, Ellipsis, List, Undo2, Wrench } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import { useFormats } from '../../format'
import { call } from '../../ipc'
import { RelativeTime } from '../../relative-time'
import { StatusDot } from '../../ui/badge'
import { Button } from '../../ui/button'
import { IconButton } from '../../ui/icon-button'
import { Menu } from '../../ui/menu'
import { Stack } from '../../ui/stack'
import { toast } from '../../ui/toast'
import { userSite } from '../tools/sites'
import { ToolMark } from '../tools/tool-mark'
import { toolPath } from '../tools/tool-status'
import { useConfigureThrough } from '../tools/use-configure-through'
import { requestsPath } from '../usage/paths'
import { pointPath } from './paths'
import styles from './relay.module.css'
import { troubleOf } from './tool-trouble'

interface CellProps {
  readonly tool: RelayTool
}

/** How a tool stands to the relay. */
function Standing({ tool, state }: CellProps & Pick<RelayView, 'state'>) {
  const { t } = useTranslation('relay')
  if (!tool.isPointedHere) return <StatusDot tone="neutral" label={t('tools.not')} />
  if (state === 'on') return <StatusDot tone="success" label={t('tools.here')} />
  const tone = state === 'starting' ? 'neutral' : state === 'paused' ? 'warning' : 'danger'
  return <StatusDot tone={tone} label={t('tools.waits')} />
}

/** Mark and name, which lead to the tool, and whether it goes through the relay. */
export function NameCell({ tool, state }: CellProps & Pick<RelayView, 'state'>) {
  return (
    <span className={styles.name}>
      <ToolMark tool={{ name: tool.toolName }} />
      <span className={styles.words}>
        <Link to={toolPath(tool.toolId)}>{tool.toolName}</Link>
        <span className={styles.second}>
          <Standing tool={tool} state={state} />
        </span>
      </span>
    </span>
  )
}

/** The plan and key that are in use, and how many are tried in their place. */
export function WayCell({ tool }: CellProps) {
  const { t } = useTranslation('relay')
  const { way, planName, keyName, failover } = tool
  if (!way) return <span className={styles.faint}>–</span>
  const more = [
    ...(planName === undefined ? [] : [keyName ?? t('tools.keyGone')]),
    ...(failover.length > 0 ? [t('tools.then', { count: failover.length })] : []),
  ].join(' · ')
  return (
    <Stack>
      {planName === undefined ? (
        <span className={styles.gone}>{t('tools.planGone')}</span>
      ) : (
        <span title={planName}>{planName}</span>
      )}
      <span className={styles.second} title={more}>
        {more}
      </span>
    </Stack>
  )
}

/** How many of its requests came, since the relay started. */
export function RequestsCell({ tool }: CellProps) {
  const { t } = useTranslation('relay')
  const { count } = useFormats()
  if (tool.requests === 0) return <span className={styles.faint}>–</span>
  const { short, exact } = count(tool.requests)
  return <span title={`${exact}. ${t('tools.requestsHint')}`}>{short}</span>
}

/** When the last of them came; and that the tool gave it up, which is no trouble. */
export function LastCell({ tool }: CellProps) {
  const { t } = useTranslation('relay')
  const { lastAt, lastFailure } = tool
  if (lastAt === undefined) return <span className={styles.faint}>{tool.isPointedHere ? t('tools.never') : '–'}</span>
  return (
    <Stack>
      <RelativeTime at={lastAt} />
      {lastFailure && !troubleOf(tool) ? <span className={styles.second}>{t('tools.wentAway')}</span> : null}
    </Stack>
  )
}

interface ActionsProps extends CellProps {
  readonly routes: readonly Route[]
  readonly onChangeWay: () => void
}

function More({ tool, routes }: Omit<ActionsProps, 'onChangeWay'>) {
  const { t } = useTranslation(['relay', 'common'])
  const navigate = useNavigate()
  const { toolId, toolName, address } = tool
  const go = (path: string) => (): void => void navigate(path)
  const copy = (): void => {
    call('app.copyText', { text: address }).then(
      () => toast(t('common:copied'), { description: address }),
      () => toast(t('common:copyFailed'), { tone: 'danger' }),
    )
  }
  return (
    <Menu
      align="end"
      trigger={<IconButton size="sm" icon={Ellipsis} label={t('tools.more', { tool: toolName })} />}
      items={[
        { label: t('tools.requestsOf'), icon: List, onSelect: go(requestsPath({ scope: 'relay', toolId })) },
        { label: t('tools.open'), icon: Wrench, onSelect: go(toolPath(toolId)) },
        { label: t('tools.copy'), icon: Copy, onSelect: copy },
        ...(routes.includes('gateway')
          ? ([
              'separator',
              {
                label: t('tools.direct'),
                icon: Undo2,
                onSelect: go(pointPath({ to: 'gateway', toolIds: [toolId] })),
              },
            ] as const)
          : []),
      ]}
    />
  )
}

/** What can be done with a tool: another plan or key, its way back; or its set-up through the relay. */
export function ToolActions({ tool, routes, onChangeWay }: ActionsProps) {
  const { t } = useTranslation('relay')
  const configureThrough = useConfigureThrough()
  const { toolId, toolName, isPointedHere } = tool
  if (!isPointedHere) {
    return (
      <Button
        size="sm"
        variant="ghost"
        aria-label={t('tools.setUpOf', { tool: toolName })}
        onClick={() => configureThrough({ id: toolId, site: userSite }, 'relay')}
      >
        {t('tools.setUp')}
      </Button>
    )
  }
  return (
    <span className={styles.actions}>
      <Button size="sm" aria-label={t('tools.changeOf', { tool: toolName })} onClick={onChangeWay}>
        {t('tools.change')}
      </Button>
      <More tool={tool} routes={routes} />
    </span>
  )
}
