"""Agents as their hooks speak: what each sends, and where its answer says what."""

import json

from tacit.doors.hooks.answer import respond


def stop_in(reason):
    """Give the reason of a denial if the memory stops a command once; the guard's own reasons are not the memory's."""
    return reason if "run the same command again" in reason else ""


class Claude:
    """What Claude Code sends, and where its answer says what."""

    name = "claude"
    fail = "PostToolUseFailure"

    def __init__(self, cwd):
        self.base = {"transcript_path": "/x", "cwd": str(cwd), "permission_mode": "default"}

    def before(self, session, command, call):
        return {**self.base, "session_id": session, "hook_event_name": "PreToolUse", "tool_name": "Bash",
                "tool_input": {"command": command, "description": "x"}, "tool_use_id": call}  # fmt: skip

    def failed(self, session, command, call, error):
        return {**self.before(session, command, call), "hook_event_name": "PostToolUseFailure", "error": error,
                "is_interrupt": False}  # fmt: skip

    def worked(self, session, command, call):
        response = {"stdout": "ok", "stderr": "", "interrupted": False, "isImage": False}
        return {**self.before(session, command, call), "hook_event_name": "PostToolUse", "tool_response": response}

    def context(self, answer):
        inner = answer.get("hookSpecificOutput", {})
        return inner.get("additionalContext", "") or stop_in(inner.get("permissionDecisionReason", ""))

    def decision(self, answer):
        return answer.get("hookSpecificOutput", {}).get("permissionDecision", "")


class Codex(Claude):
    """The same dialect, but failures come as PostToolUse, and there is no `ask`."""

    name = "codex"

    def failed(self, session, command, call, error):
        response = json.dumps({"output": error, "metadata": {"exit_code": 1, "duration_seconds": 0.1}})
        return {**self.before(session, command, call), "hook_event_name": "PostToolUse", "tool_response": response,
                "turn_id": "t", "model": "m"}  # fmt: skip

    def worked(self, session, command, call):
        return {**self.before(session, command, call), "hook_event_name": "PostToolUse",
                "tool_response": "Exit code: 0\nWall time: 1 seconds\nOutput:\nok"}  # fmt: skip


class Cursor:
    """Snake case answers, camel case events, output as JSON in a text."""

    name = "cursor"

    def __init__(self, cwd):
        self.base = {"generation_id": "g", "model": "m", "cursor_version": "3", "workspace_roots": [str(cwd)]}

    def before(self, session, command, call):
        return {**self.base, "conversation_id": session, "hook_event_name": "preToolUse", "tool_name": "Shell",
                "tool_input": {"command": command}, "tool_use_id": call}  # fmt: skip

    def failed(self, session, command, call, error):
        return {**self.before(session, command, call), "hook_event_name": "postToolUseFailure", "error_message": error,
                "failure_type": "error", "is_interrupt": False}  # fmt: skip

    def worked(self, session, command, call):
        output = json.dumps({"output": "ok", "exitCode": 0})
        return {**self.before(session, command, call), "hook_event_name": "postToolUse", "tool_output": output}

    def context(self, answer):
        return answer.get("agent_message", "") + answer.get("additional_context", "")

    def decision(self, answer):
        return answer.get("permission", "")


AGENTS = [Claude, Codex, Cursor]


def hook(agent, payload):
    return respond(agent, json.dumps(payload).encode())


def memory_here():
    """Open the memory of the working directory."""
    from tacit.app.open import connect, current_caller, current_settings

    settings = current_settings()
    return connect(settings, current_caller(settings))
