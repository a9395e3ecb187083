import type { ToolView, ToolWarning } from '@shared/contract'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { ButtonLink } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { Code } from '../../ui/code'
import { Section } from '../../ui/page'
import { Row, Rows } from '../../ui/rows'
import { StandingDot } from './standing-dot'
import { isTodo } from './todo'
import { ToolMark } from './tool-mark'
import { toolPath } from './tool-status'
import { ToolWarnings } from './tool-warnings'
import type { SetUpDone } from './use-set-up'

interface WrittenToolProps {
  readonly tool: ToolView
  readonly todo: readonly ToolWarning[]
  readonly keyRef: { readonly planId: string; readonly keyId: string } | undefined
}

function WrittenTool({ tool, todo, keyRef }: WrittenToolProps) {
  const { t } = useTranslation('tools')
  return (
    <Row
      leading={<ToolMark tool={tool} />}
      title={tool.name}
      description={
        <>
          {tool.applied ? <Code quiet>{tool.applied.requestAddress}</Code> : null}
          <ToolWarnings warnings={todo} tool={tool} keyRef={keyRef} />
        </>
      }
      trailing={
        <>
          <StandingDot setup={tool} />
          <ButtonLink size="sm" to={toolPath(tool.id, tool.status === 'configured' ? 'verify' : undefined)}>
            {t(tool.status === 'configured' ? 'actions.verify' : 'actions.open')}
            <span className="sr-only"> {tool.name}</span>
          </ButtonLink>
        </>
      }
    />
  )
}

/** What was written for several tools, what each of them still needs from a person, and the way back. */
export function SetUpResult({ done }: { readonly done: SetUpDone }) {
  const { t } = useTranslation('tools')
  const { tools, preview, planId, keyId } = done
  const head = useRef<HTMLDivElement>(null)
  // The button that had the focus is gone.
  useEffect(() => head.current?.focus(), [])
  const names = new Set(preview.tools.map(({ toolId }) => toolId))
  const written = tools.filter(({ id }) => names.has(id))
  const plan = written.find(({ applied }) => applied?.planId === planId)?.applied?.planName
  return (
    <>
      <div ref={head} tabIndex={-1} role="status">
        <Callout
          tone="success"
          title={t('many.done', { count: written.length, plan: plan ?? t('planGone') })}
          actions={
            <>
              <ButtonLink size="sm" variant="ghost" to="/history">
                {t('many.undo')}
              </ButtonLink>
              <ButtonLink size="sm" to="/tools">
                {t('many.toTools')}
              </ButtonLink>
            </>
          }
        >
          {t('many.doneText')}
        </Callout>
      </div>
      <Section title={t('many.tools')}>
        <Rows label={t('many.tools')}>
          {written.map((tool) => (
            <WrittenTool
              key={tool.id}
              tool={tool}
              todo={preview.tools
                .filter(({ toolId }) => toolId === tool.id)
                .flatMap(({ warnings }) => warnings.filter(isTodo))}
              keyRef={keyId === undefined ? undefined : { planId, keyId }}
            />
          ))}
        </Rows>
      </Section>
    </>
  )
}
