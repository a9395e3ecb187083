import type { ProfileView } from '@shared/contract'
import { CircleCheck, Ellipsis } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { Badge } from '../../ui/badge'
import { ButtonLink } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { Code } from '../../ui/code'
import { IconButton } from '../../ui/icon-button'
import { Menu, type MenuItem } from '../../ui/menu'
import { Facts } from '../../ui/rows'
import { ToolMark } from '../tools/tool-mark'
import { useSiteWords } from '../tools/use-site-words'
import { entryKey } from './entries'
import { profilePath, switchPath } from './paths'
import styles from './profiles.module.css'

/** So many tools are listed on a card; the rest are counted. */
const shownAtMost = 6

function Tool({ entry }: { readonly entry: ProfileView['entries'][number] }) {
  const siteWords = useSiteWords()
  return (
    <li className={styles.tool}>
      <ToolMark tool={{ name: entry.toolName }} />
      <div>
        <p className={styles.toolName}>{entry.toolName}</p>
        <div className={styles.facts}>
          <Facts
            items={[
              entry.site.kind !== 'user' && siteWords(entry.site),
              entry.planName,
              <Code key="model" quiet>
                {entry.modelCode}
              </Code>,
            ]}
          />
        </div>
      </div>
    </li>
  )
}

/** One profile: what it sets, whether it is in use, and the press that switches to it. */
export function ProfileCard({
  profile,
  items,
}: {
  readonly profile: ProfileView
  readonly items: readonly MenuItem[]
}) {
  const { t } = useTranslation('profiles')
  const { id, name, entries, isActive, missing } = profile
  const rest = entries.length - shownAtMost
  return (
    <li className={isActive ? styles.active : styles.card}>
      <header className={styles.head}>
        <h2 className={styles.title}>
          <Link to={profilePath(id)}>{name}</Link>
        </h2>
        {isActive ? (
          <Badge tone="success" icon={CircleCheck}>
            {t('inUse')}
          </Badge>
        ) : null}
        <div className={styles.actions}>
          {isActive || missing.length > 0 ? null : (
            <ButtonLink size="sm" to={switchPath(id)}>
              {t('switch')}
              <span className="sr-only"> {name}</span>
            </ButtonLink>
          )}
          <Menu
            align="end"
            trigger={<IconButton icon={Ellipsis} size="sm" label={t('more', { name })} />}
            items={items}
          />
        </div>
      </header>
      {missing.length > 0 ? (
        <Callout
          tone="warning"
          title={t('missing.title')}
          actions={
            <ButtonLink size="sm" to={profilePath(id)}>
              {t('missing.choose')}
            </ButtonLink>
          }
        >
          {t('missing.text', { what: missing.join(', ') })}
        </Callout>
      ) : null}
      <ul className={styles.tools} aria-label={t('toolsOf', { name })}>
        {entries.slice(0, shownAtMost).map((entry) => (
          <Tool key={entryKey(entry)} entry={entry} />
        ))}
      </ul>
      {rest > 0 ? (
        <Link to={profilePath(id)} className={styles.rest}>
          {t('moreTools', { count: rest })}
        </Link>
      ) : null}
    </li>
  )
}
