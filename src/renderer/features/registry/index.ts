export { dockerPath, shellWord } from './docker-lines'
export { repositories, robotAccounts } from './repositories'
