package hooks

// CI is what a pipeline needs to hold the rules: one job, complete history. It
// is printed for people to put where their service looks.
const CI = `# GitHub Actions: .github/workflows/git-agent.yml
name: git agent
on: [push, pull_request]
jobs:
  rules:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
        with:
          fetch-depth: 0                  # the rules need every commit
      - run: git agent check "$RANGE"     # put git-agent on the PATH before
        env:
          RANGE: ${{ github.event_name == 'pull_request' && format('{0}..{1}', github.event.pull_request.base.sha, github.event.pull_request.head.sha) || github.sha }}

# GitLab: .gitlab-ci.yml
rules:
  variables:
    GIT_DEPTH: 0
  script:
    - git agent check "${CI_MERGE_REQUEST_DIFF_BASE_SHA:+$CI_MERGE_REQUEST_DIFF_BASE_SHA..}$CI_COMMIT_SHA"

# A server of your own: in the bare repository, once
#   git agent hooks install               # sets pre-receive there
# A clone, before it pushes
#   git agent hooks install --pre-push
#
# Exit code 0: all rules held. 1: one was broken. 4: a flag is proved on other
# files (after a rebase or squash); git agent verify proves it again.
`
