import type { PlanView, Route, ToolView } from '@shared/contract'
import i18next from 'i18next'
import { Waypoints } from 'lucide-react'
import { useSearchParams } from 'react-router'
import { useCall } from '../../ipc'
import { joinQueries, Loaded } from '../../loaded'
import { relayPath } from '../../paths'
import { Callout } from '../../ui/callout'
import { EmptyState, Page, PageHeader } from '../../ui/page'
import {
  AllOrNothing,
  BulkWrite,
  PlainTextConsent,
  readRoute,
  SkippedTools,
  toolPath,
  useBulkWrite,
  usePreview,
} from '../tools'
import { prepareReroute } from './use-relay'

const t = i18next.getFixedT(null, ['relay', 'tools'])

function Reroute(props: {
  readonly tools: readonly ToolView[]
  readonly plans: readonly PlanView[]
  readonly to: Route
}) {
  const { tools, plans, to } = props
  const [query] = useSearchParams()
  const { choices, blocked } = prepareReroute(tools, plans, { to, toolIds: query.get('tools')?.split(',') })
  const shown = usePreview('tools.previewMany', choices.length > 0 ? { choices: [...choices] } : undefined)
  const state = useBulkWrite({ shown, needsConsent: to !== 'relay' })
  if (state.writing.isSuccess) {
    return (
      <div role="status">
        <Callout
          tone="success"
          title={t(`relay:point.${to}.done`)}
          actions={[
            { label: t('tools:many.undo'), variant: 'ghost', to: '/history' },
            { label: t('relay:point.back'), to: relayPath },
          ]}
        >
          {t(`relay:point.${to}.doneText`)}
        </Callout>
      </div>
    )
  }
  if (choices.length + blocked.length === 0) {
    return (
      <EmptyState
        icon={Waypoints}
        title={t(`relay:point.${to}.none`)}
        actions={[{ label: t('relay:point.back'), to: relayPath }]}
      >
        {t(`relay:point.${to}.noneText`)}
      </EmptyState>
    )
  }
  const otherTools = blocked.map(({ tool: { id, name, site }, why }) => ({
    id: `${id} ${JSON.stringify(site)}`,
    name,
    reason: t(`relay:point.stuck.${why}`),
    action: {
      label: t(why === 'onlyRelay' ? 'relay:point.undo' : 'relay:point.setUp'),
      variant: 'ghost',
      to: toolPath(id, why === 'onlyRelay' ? 'undo' : 'configure', site),
    } as const,
  }))
  if (choices.length === 0) return <SkippedTools left={[]} otherTools={otherTools} />
  const count = state.shown.preview?.tools.length ?? 0
  return (
    <>
      <PlainTextConsent state={state} label={t('relay:point.consent', { tools: state.plainTextTools.join(', ') })} />
      <BulkWrite
        state={state}
        title={t('tools:changes')}
        description={t('tools:changesHint')}
        label={t(`relay:point.${to}.label`, { count })}
        outcome={<AllOrNothing title={t(`relay:point.${to}.outcome`, { count })} />}
        consentNeeded={t('relay:point.consentNeeded')}
        skipped={{ otherTools }}
      />
    </>
  )
}

/** Reroutes tools to the gateway or to the relay's current port, all or none. */
export function ReroutePage() {
  const [query] = useSearchParams()
  const targetRoute = readRoute(query.get('to')) ?? 'gateway'
  const toolsQuery = useCall('tools.list', {})
  const plansQuery = useCall('plans.list', {})
  return (
    <Page>
      <PageHeader
        title={t(`point.${targetRoute}.title`)}
        breadcrumb={[{ label: t('title'), to: relayPath }]}
        state={t(`point.${targetRoute}.state`)}
      />
      <Loaded query={joinQueries(toolsQuery, plansQuery)}>
        {([tools, plans]) => <Reroute tools={tools} plans={plans} to={targetRoute} />}
      </Loaded>
    </Page>
  )
}
