import type { PlanView, RelayTool, RelayView, Route } from '@shared/contract'
import type { FailureCode } from '@shared/failure'
import { Copy, List, Undo2, Wrench } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import { useCopyText } from '../../copy-text'
import { ExplainedFailure } from '../../failures'
import { useFormats } from '../../format'
import { useAction } from '../../ipc'
import { pointPath, requestsPath } from '../../paths'
import { RelativeTime } from '../../relative-time'
import { StatusDot } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { MenuButton } from '../../ui/menu'
import { Stack } from '../../ui/rows'
import { ToolInitials, toolPath, useOpenConfigureRoute, userSite } from '../tools'
import { ToolUsageTrend } from '../usage'

interface CellProps {
  readonly tool: RelayTool
}

function RelayToolStatus({ tool, state }: CellProps & Pick<RelayView, 'state'>) {
  const { t } = useTranslation('relay')
  if (!tool.isPointedHere) return <StatusDot tone="neutral" label={t('tools.not')} />
  if (state === 'on') return <StatusDot tone="success" label={t('tools.here')} />
  const tone = state === 'starting' ? 'neutral' : state === 'paused' ? 'warning' : 'danger'
  return <StatusDot tone={tone} label={t('tools.waits')} />
}

export function NameCell({ tool, state }: CellProps & Pick<RelayView, 'state'>) {
  return (
    <span className="flex min-w-0 items-center gap-2.5">
      <ToolInitials tool={{ name: tool.toolName }} />
      <span className="flex min-w-0 flex-1 flex-col leading-4.25 *:truncate">
        <Link to={toolPath(tool.toolId)} className="font-strong text-text">
          {tool.toolName}
        </Link>
        <span className="truncate text-muted text-xs">
          <RelayToolStatus tool={tool} state={state} />
        </span>
      </span>
    </span>
  )
}

export function UpstreamCell({ tool }: CellProps) {
  const { t } = useTranslation('relay')
  const { way, planName, keyName, failover } = tool
  if (!way) return <span className="text-faint">–</span>
  const detailTexts = [
    ...(planName === undefined ? [] : [keyName ?? t('tools.keyGone')]),
    ...(failover.length > 0 ? [t('tools.then', { count: failover.length })] : []),
  ].join(' · ')
  return (
    <Stack>
      {planName === undefined ? (
        <span className="text-danger">{t('tools.planGone')}</span>
      ) : (
        <span title={planName}>{planName}</span>
      )}
      <span className="truncate text-muted text-xs" title={detailTexts}>
        {detailTexts}
      </span>
    </Stack>
  )
}

export function RequestsCell({ tool }: CellProps) {
  const { t } = useTranslation('relay')
  const { count } = useFormats()
  if (tool.requests === 0) return <span className="text-faint">–</span>
  const { short, exact } = count(tool.requests)
  return (
    <span className="inline-flex items-center justify-end gap-2.5">
      <ToolUsageTrend toolId={tool.toolId} />
      <span title={`${exact}. ${t('tools.requestsHint')}`}>{short}</span>
    </span>
  )
}

export function LastRequestCell({ tool }: CellProps) {
  const { t } = useTranslation('relay')
  const { open, lastAt, lastFailure } = tool
  if (open > 0) return <StatusDot tone="accent" label={t('state.open', { count: open })} />
  if (lastAt === undefined) return <span className="text-faint">{tool.isPointedHere ? t('tools.never') : '–'}</span>
  return (
    <Stack>
      <RelativeTime at={lastAt} />
      {lastFailure && !findFailure(tool) ? (
        <span className="truncate text-muted text-xs">{t('tools.wentAway')}</span>
      ) : null}
    </Stack>
  )
}

interface ActionsProps extends CellProps {
  readonly routes: readonly Route[]
  readonly onChangeUpstream: () => void
}

function MoreActions({ tool, routes }: Omit<ActionsProps, 'onChangeUpstream'>) {
  const { t } = useTranslation(['relay', 'common'])
  const { toolId, toolName, address } = tool
  const copyText = useCopyText()
  const copy = (): void => copyText(address, { description: address })
  return (
    <MenuButton
      size="sm"
      label={t('tools.more', { tool: toolName })}
      items={[
        { label: t('tools.requestsOf'), icon: List, to: requestsPath({ scope: 'relay', toolId }) },
        { label: t('tools.open'), icon: Wrench, to: toolPath(toolId) },
        { label: t('tools.copy'), icon: Copy, onSelect: copy },
        ...(routes.includes('gateway')
          ? ([
              'separator',
              { label: t('tools.direct'), icon: Undo2, to: pointPath({ to: 'gateway', toolIds: [toolId] }) },
            ] as const)
          : []),
      ]}
    />
  )
}

export function ToolActions({ tool, routes, onChangeUpstream }: ActionsProps) {
  const { t } = useTranslation('relay')
  const configureWithRelay = useOpenConfigureRoute()
  const { toolId, toolName, isPointedHere } = tool
  if (!isPointedHere) {
    return (
      <Button
        size="sm"
        variant="ghost"
        aria-label={t('tools.setUpOf', { tool: toolName })}
        onClick={() => configureWithRelay({ id: toolId, site: userSite }, 'relay')}
      >
        {t('tools.setUp')}
      </Button>
    )
  }
  return (
    <span className="inline-flex items-center gap-0.5">
      <Button size="sm" aria-label={t('tools.changeOf', { tool: toolName })} onClick={onChangeUpstream}>
        {t('tools.change')}
      </Button>
      <MoreActions tool={tool} routes={routes} />
    </span>
  )
}

/** Failure codes that are not shown, because the user canceled the request. */
const unreportedCodes: readonly FailureCode[] = ['net.cancelled']

/** Failure of the tool's last request. Undefined if the request was canceled. */
export const findFailure = ({ lastFailure }: RelayTool) =>
  lastFailure && !unreportedCodes.includes(lastFailure.code) ? lastFailure : undefined

export function OverloadNotice({ from, to, until }: NonNullable<RelayTool['lastSwitch']>) {
  const { t } = useTranslation('relay')
  const { time } = useFormats()
  return <Callout tone="warning" title={t('way.overload.active', { from, to, time: time(until) })} />
}

export function ToolFailure(
  props: CellProps & { readonly plans: readonly PlanView[]; readonly onChangeUpstream: () => void },
) {
  const { tool, plans, onChangeUpstream } = props
  const { t } = useTranslation('relay')
  const navigate = useNavigate()
  const recheckKeychain = useAction('app.recheckVault', { invalidates: ['app', 'plans', 'relay'] })
  const failure = findFailure(tool)
  if (!failure) return null
  const { toolId, toolName, planName, way } = tool
  const plan = plans.find(({ id }) => id === way?.planId)
  const toPlan = (query: string) => (plan ? () => void navigate(`/plans/${plan.id}?${query}`) : undefined)
  return (
    <ExplainedFailure
      failure={failure}
      tone="warning"
      context={{ tool: toolName, plan: planName, requestAddress: plan?.gatewayUrl }}
      busy={recheckKeychain.isPending}
      handlers={{
        pasteKey: toPlan(plan?.origin ? 'tab=keys' : 'paste=1'),
        setAddress: toPlan('edit=1'),
        choosePlan: onChangeUpstream,
        chooseModel: () => void navigate(toolPath(toolId, 'configure')),
        recheckVault: () => recheckKeychain.mutate({}),
      }}
      actions={[
        tool.requests > 0 && {
          label: t('tools.failures'),
          variant: 'ghost',
          to: requestsPath({ scope: 'relay', toolId, onlyErrors: true }),
        },
        failure.code === 'key.notFound' && { label: t('tools.choose'), onClick: onChangeUpstream },
      ]}
    />
  )
}
