from langgraph_sdk import get_sync_client

client = get_sync_client(url="http://127.0.0.1:3000")  # with tokens: api_key="…"
thread = client.threads.create()
messages = [{"type": "human", "content": "Why is checkout slow?"}]
for part in client.runs.stream(
    thread["thread_id"], "desk/main", input={"messages": messages}, stream_mode="values"
):
    if part.event == "values":
        print(part.data["messages"][-1]["content"])
