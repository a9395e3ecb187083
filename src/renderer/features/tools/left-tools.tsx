import type { ManyPreview, ToolView } from '@shared/contract'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useFailureWords } from '../../i18n/failures'
import { Button, ButtonLink } from '../../ui/button'
import { Section } from '../../ui/page'
import { Row, Rows } from '../../ui/rows'
import { siteText } from './sites'
import { ToolMark } from './tool-mark'
import { toolPath } from './tool-status'

interface LeftOutProps {
  readonly name: string
  readonly reason: ReactNode
  readonly action: ReactNode
}

/** One tool that is not among those that change, and why. */
export function LeftOut({ name, reason, action }: LeftOutProps) {
  return <Row leading={<ToolMark tool={{ name }} />} title={name} description={reason} trailing={action} />
}

interface LeftToolsProps {
  readonly left: ManyPreview['left']
  readonly tools: readonly ToolView[]
  /** Goes on with a commented copy beside the file of a tool that needs strict JSON. */
  readonly onMoveComments?: ((toolId: string) => void) | undefined
  /** More rows, of tools that were left out for another reason. */
  readonly children?: ReactNode
}

/** The tools that stay as they are, each with the reason and a way on. */
export function LeftTools({ left, tools, onMoveComments, children }: LeftToolsProps) {
  const { t } = useTranslation(['tools', 'failures'])
  const explain = useFailureWords()
  if (left.length === 0 && !children) return null
  return (
    <Section title={t('tools:many.left')} description={t('tools:many.leftHint')}>
      <Rows label={t('tools:many.left')}>
        {left.map(({ toolId, site, failure }) => {
          const tool = tools.find(({ id }) => id === toolId)
          const name = tool?.name ?? toolId
          const { title, explanation } = explain(failure, { tool: name, file: tool?.file })
          const canMove = failure.code === 'file.notStrict' && onMoveComments !== undefined
          return (
            <LeftOut
              key={`${toolId} ${siteText(site)}`}
              name={name}
              reason={`${title}. ${explanation}`}
              action={
                canMove ? (
                  <Button size="sm" onClick={() => onMoveComments(toolId)}>
                    {t('failures:actions.moveComments')}
                  </Button>
                ) : (
                  <ButtonLink size="sm" variant="ghost" to={toolPath(toolId, undefined, site)}>
                    {t('tools:actions.open')}
                    <span className="sr-only"> {name}</span>
                  </ButtonLink>
                )
              }
            />
          )
        })}
        {children}
      </Rows>
    </Section>
  )
}
