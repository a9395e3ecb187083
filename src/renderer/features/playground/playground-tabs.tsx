import { useTranslation } from 'react-i18next'
import { Link, useLocation } from 'react-router'
import { chatPath, comparePath, completionPath, embeddingsPath, promptsPath } from './paths'
import styles from './playground-tabs.module.css'

const tabs = [
  { id: 'chat', to: chatPath() },
  { id: 'compare', to: comparePath },
  { id: 'prompts', to: promptsPath },
  { id: 'completion', to: completionPath },
  { id: 'embeddings', to: embeddingsPath },
] as const

const isAt = (pathname: string, to: string): boolean =>
  to === chatPath() ? pathname === to || pathname.startsWith(`${to}/chat/`) : pathname.startsWith(to)

/** The parts of the playground, as quiet links for the head of each of its pages. */
export function PlaygroundTabs() {
  const { t } = useTranslation('playground')
  const { pathname } = useLocation()
  return (
    <nav className={styles.tabs} aria-label={t('tabs.label')}>
      {tabs.map(({ id, to }) => (
        <Link key={id} to={to} className={styles.tab} aria-current={isAt(pathname, to) ? 'page' : undefined}>
          {t(`tabs.${id}`)}
        </Link>
      ))}
    </nav>
  )
}
