import type { PlanView, ToolView } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { StatusDot } from '../../ui/badge'
import { Button, ButtonLink } from '../../ui/button'
import { Code } from '../../ui/code'
import { Section } from '../../ui/page'
import { Facts, Row, Rows } from '../../ui/rows'
import { SkeletonRows } from '../../ui/skeleton'
import { ToolMark } from '../tools/tool-mark'
import { nextStep, statusTones, toolPath } from '../tools/tool-status'
import { useToolsStore } from '../tools/tools-store'

function UsingTool({ tool }: { tool: ToolView }) {
  const { t } = useTranslation('tools')
  const step = nextStep(tool)
  return (
    <Row
      leading={<ToolMark tool={tool} />}
      title={tool.name}
      to={toolPath(tool.id)}
      description={
        <Facts
          items={[
            t(`standards.${tool.standard}`),
            tool.applied && (
              <Code key="model" quiet>
                {tool.applied.modelCode}
              </Code>
            ),
          ]}
        />
      }
      trailing={
        <>
          <StatusDot tone={statusTones[tool.status]} label={t(`statuses.${tool.status}`)} />
          <ButtonLink size="sm" to={step.to}>
            {t(`actions.${step.label}`)}
          </ButtonLink>
        </>
      }
    />
  )
}

function OtherTool({ tool, plan }: { tool: ToolView; plan: PlanView }) {
  const { t } = useTranslation('tools')
  const navigate = useNavigate()
  const pick = useToolsStore((store) => store.pick)
  const configure = (): void => {
    pick(tool.id, { planId: plan.id, modelCode: undefined, smallModel: undefined })
    void navigate(toolPath(tool.id, 'configure'))
  }
  return (
    <Row
      leading={<ToolMark tool={tool} />}
      title={tool.name}
      description={
        <Facts
          items={[
            t(`standards.${tool.standard}`),
            !tool.installed && t('notInstalled'),
            tool.applied && (tool.applied.planName ?? t('planGone')),
          ]}
        />
      }
      trailing={
        <Button size="sm" onClick={configure}>
          {t('actions.configure')}
          <span className="sr-only"> {tool.name}</span>
        </Button>
      }
    />
  )
}

/** The tools that use this plan, and those that could with one click. */
export function PlanTools({ plan }: { plan: PlanView }) {
  const { t } = useTranslation('plans')
  const query = useCall('tools.list', {})
  return (
    <Section
      title={t('page.tools')}
      description={plan.usedBy.length === 0 ? t('page.noToolsText') : t('page.toolsHint')}
    >
      <Loaded query={query} skeleton={<SkeletonRows rows={2} />}>
        {(tools) => (
          <Rows label={t('page.tools')}>
            {tools
              .filter(({ supported }) => supported)
              .map((tool) =>
                tool.applied?.planId === plan.id ? (
                  <UsingTool key={tool.id} tool={tool} />
                ) : (
                  <OtherTool key={tool.id} tool={tool} plan={plan} />
                ),
              )}
          </Rows>
        )}
      </Loaded>
    </Section>
  )
}
