import { Code, Lightbulb, type LucideIcon, Table2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import styles from './chat.module.css'
import type { Chat } from './use-chat'

const examples = [
  { id: 'table', icon: Table2 },
  { id: 'code', icon: Code },
  { id: 'explain', icon: Lightbulb },
] as const satisfies readonly { readonly id: string; readonly icon: LucideIcon }[]

/** No conversation is open: three questions that are asked with one press. */
export function FirstSteps({ chat }: { readonly chat: Chat }) {
  const { t } = useTranslation('playground')
  return (
    <div className={styles.first}>
      <div className={styles.firstWords}>
        <h2>{t('empty.title')}</h2>
        <p>{t('empty.text')}</p>
      </div>
      <ul className={styles.examples} aria-label={t('empty.tryOne')}>
        {examples.map(({ id, icon: Icon }) => (
          <li key={id}>
            <button
              type="button"
              className={styles.example}
              disabled={chat.isBusy || !chat.setup.target}
              onClick={() => chat.ask(t(`empty.examples.${id}.text`))}
            >
              <Icon size={15} strokeWidth={1.8} aria-hidden="true" />
              <span>
                <strong>{t(`empty.examples.${id}.title`)}</strong>
                <span>{t(`empty.examples.${id}.text`)}</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}
