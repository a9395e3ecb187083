import type { Site } from '@shared/contract'
import { useTranslation } from 'react-i18next'

/** The last part of a folder's path. */
const nameOf = (folder: string): string => folder.split(/[/\\]/).filter(Boolean).at(-1) ?? folder

/** What a site is called. */
export function useSiteWords(): (site: Site) => string {
  const { t } = useTranslation('tools')
  return (site) => {
    if (site.kind === 'project') return t('sites.inProject', { name: nameOf(site.folder) })
    return site.kind === 'wsl' ? t('sites.inWsl', { name: site.distribution }) : t('sites.user')
  }
}
