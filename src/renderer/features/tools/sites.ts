import type { SetupView, Site, ToolAt, ToolView } from '@shared/contract'
import { useTranslation } from 'react-i18next'

/** This user's home. */
export const userSite: Site = { kind: 'user' }

/** A site as text: in the address of a page, and as a key. */
export const siteText = (site: Site): string =>
  site.kind === 'project' ? `project:${site.folder}` : site.kind === 'wsl' ? `wsl:${site.distribution}` : 'user'

/** The site that a text of `siteText` names; this user's home for any other. */
export function readSite(text: string | null): Site {
  const [, kind, rest = ''] = /^(project|wsl):(.+)$/s.exec(text ?? '') ?? []
  if (kind === 'project') return { kind, folder: rest }
  return kind === 'wsl' ? { kind, distribution: rest } : userSite
}

/** Key of a setup in the window. For the user's home it is the tool's id. */
export const setupKey = (toolId: string, site: Site): string =>
  site.kind === 'user' ? toolId : `${toolId} ${siteText(site)}`

/** A tool and a site as main wants them named. */
export const toolAt = (toolId: string, site: Site): ToolAt => (site.kind === 'user' ? { toolId } : { toolId, site })

/** A tool with its setup at one site. */
export type ToolHere = ToolView & { readonly site: Site }

const nothingThere = { status: 'absent', drift: [], file: '', files: [] } as const

/** The tool with its setup at that site in place of the one in this user's home. */
export function toolHere(tool: ToolView, site: Site): ToolHere {
  if (site.kind === 'user') return { ...tool, site }
  const { applied, conflicts, found, problem, relayOff, isOutdated, ...rest } = tool
  const setup = tool.setups.find((one) => siteText(one.site) === siteText(site))
  return { ...rest, ...nothingThere, drift: [], files: [], ...setup, site }
}

/** Every setup of a tool, that in this user's home first. */
export function listSetups(tool: ToolView): readonly SetupView[] {
  const { status, drift, file, files, applied, conflicts, found, problem, relayOff, isOutdated } = tool
  const own: SetupView = {
    site: userSite,
    status,
    drift,
    file,
    files,
    ...(applied && { applied }),
    ...(conflicts && { conflicts }),
    ...(found && { found }),
    ...(problem && { problem }),
    ...(relayOff && { relayOff }),
    ...(isOutdated && { isOutdated }),
  }
  return [own, ...tool.setups]
}

/** Whether any setup of a tool uses a plan. */
export const usesPlan = (tool: ToolView, planId: string | undefined): boolean =>
  planId !== undefined && listSetups(tool).some(({ applied }) => applied?.planId === planId)

/** The last part of a folder's path. */
const toFolderName = (folder: string): string => folder.split(/[/\\]/).filter(Boolean).at(-1) ?? folder

export function useSiteWords(): (site: Site) => string {
  const { t } = useTranslation('tools')
  return (site) => {
    if (site.kind === 'project') return t('sites.inProject', { name: toFolderName(site.folder) })
    return site.kind === 'wsl' ? t('sites.inWsl', { name: site.distribution }) : t('sites.user')
  }
}
