import type { PlanView, RelayTool } from '@shared/contract'
import type { FailureCode } from '@shared/failure'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useAction } from '../../ipc'
import { Button, ButtonLink } from '../../ui/button'
import { ExplainedFailure } from '../failures/explained-failure'
import { toolPath } from '../tools/tool-status'
import { requestsPath } from '../usage/paths'

/** That a person stopped a tool is no trouble. */
const quiet: readonly FailureCode[] = ['net.cancelled']

/** What the last request of a tool failed with, where that is worth a notice. */
export const troubleOf = ({ lastFailure }: RelayTool) =>
  lastFailure && !quiet.includes(lastFailure.code) ? lastFailure : undefined

interface TroubleProps {
  readonly tool: RelayTool
  readonly plans: readonly PlanView[]
  readonly onChangeWay: () => void
}

/** What the last request of a tool failed with, in words, and what helps. */
export function ToolTrouble({ tool, plans, onChangeWay }: TroubleProps) {
  const { t } = useTranslation('relay')
  const navigate = useNavigate()
  const recheck = useAction('app.recheckVault', { invalidates: ['app', 'plans', 'relay'] })
  const failure = troubleOf(tool)
  if (!failure) return null
  const { toolId, toolName, planName, way } = tool
  const plan = plans.find(({ id }) => id === way?.planId)
  const toPlan = (query: string) => (plan ? () => void navigate(`/plans/${plan.id}?${query}`) : undefined)
  return (
    <ExplainedFailure
      failure={failure}
      tone="warning"
      context={{ tool: toolName, plan: planName, requestAddress: plan?.gatewayUrl }}
      busy={recheck.isPending}
      handlers={{
        pasteKey: toPlan(plan?.origin ? 'tab=keys' : 'paste=1'),
        setAddress: toPlan('edit=1'),
        choosePlan: onChangeWay,
        chooseModel: () => void navigate(toolPath(toolId, 'configure')),
        recheckVault: () => recheck.mutate({}),
      }}
      actions={
        <>
          {tool.requests > 0 ? (
            <ButtonLink size="sm" variant="ghost" to={requestsPath({ scope: 'relay', toolId, onlyErrors: true })}>
              {t('tools.failures')}
            </ButtonLink>
          ) : null}
          {failure.code === 'key.notFound' ? (
            <Button size="sm" onClick={onChangeWay}>
              {t('tools.choose')}
            </Button>
          ) : null}
        </>
      }
    />
  )
}
