import type { PlaygroundAnswer } from '@shared/contract'
import { withVisibleControls } from '@shared/hidden-characters'
import { Brain, ChevronRight, Wrench } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import styles from './log.module.css'
import { prettyJson } from './pretty-json'

interface AnswerPartsProps {
  readonly answer: PlaygroundAnswer
  readonly isComing: boolean
}

/** What an answer holds beside its text, folded: what the model thought aloud, and the calls it asks for. */
export function AnswerParts({ answer: { thinking, toolCalls = [], text }, isComing }: AnswerPartsProps) {
  const { t } = useTranslation('playground')
  return (
    <>
      {thinking ? (
        <details className={styles.folded} open={isComing && text === ''}>
          <summary>
            <Brain size={14} strokeWidth={1.8} aria-hidden="true" />
            {t('chat.thinking')}
            <ChevronRight size={13} strokeWidth={2} className={styles.turn} aria-hidden="true" />
          </summary>
          <p className={styles.thinking}>{withVisibleControls(thinking)}</p>
        </details>
      ) : null}
      {toolCalls.map(({ id, name, input }) => (
        <details key={id} className={styles.folded}>
          <summary>
            <Wrench size={14} strokeWidth={1.8} aria-hidden="true" />
            {t('chat.toolCall', { name })}
            <ChevronRight size={13} strokeWidth={2} className={styles.turn} aria-hidden="true" />
          </summary>
          <pre className={styles.json}>{prettyJson(input)}</pre>
        </details>
      ))}
    </>
  )
}
